/** Ends what the setup started; it left the way to do so on the process. */
export default async function tearDown() {
  await globalThis.stopTestServers?.();
}
