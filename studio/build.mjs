// `npm ci` builds the studio. An install without development dependencies can't: it comes with a built one, or has none.
const isMissing = (error) => error.code === 'ERR_MODULE_NOT_FOUND';
const vite = await import('vite').catch((error) => {
  if (!isMissing(error)) throw error;
});
if (vite === undefined) console.log('The studio is not built: vite is a development dependency.');
else await vite.build({ configFile: `${import.meta.dirname}/vite.config.ts`, logLevel: 'warn' });
