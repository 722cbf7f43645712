/** Shorter values are too common to be recognised as secrets. */
const shortest = 4;

/**
 * Replaces these values by their names in a text, also in the forms of JSON and URLs. Values shorter than four
 * characters stay.
 */
export function redact(text: string, secrets: Readonly<Record<string, string>>): string {
  return (
    Object.entries(secrets)
      .flatMap(([name, value]) => writtenForms(value).map((form) => ({ name, form })))
      // The longest first: one may contain another.
      .sort((one, other) => other.form.length - one.form.length)
      .reduce((redacted, { name, form }) => redacted.replaceAll(form, `[${name}]`), text)
  );
}

function writtenForms(value: string): readonly string[] {
  if (value.length < shortest) return [];
  const wellFormed = value.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(wellFormed)])];
}
