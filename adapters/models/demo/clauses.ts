/** Filler words before a clause: "oh, and by the way, please …". */
const lead =
  /^(?:(?:and|but|so|oh|ok|okay|well|also|please|hi|hello|hey|thanks|thank you|actually|by the way|btw|just so you know|you should know)(?:\s*[,:!]\s*|\s+)(?:that\s+)?)+/i;

/** An order in the form of a question. */
const polite =
  /^(?:can|could|would|will) you (?:please )?(?=(?:remember|note|keep|save|store|put|add|archive|search|look|check)\b)/i;

/**
 * Splits a user's text into clauses, each small enough for one rule. A clause keeps only a question mark at its end.
 */
export function cutIntoClauses(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (isOneCommand(line) ? [line] : cutLine(line)))
    .map((clause) => dropLead(clause).replace(/[\s.!;,]+$/, ''))
    .filter((clause) => clause !== '');
}

/** `save to archival memory: …` takes its whole line. */
function isOneCommand(line: string): boolean {
  return /\barchiv\w*(?:\s+memory)?\s*:\s*\S/i.test(line) && !/[?]/.test(line);
}

function cutLine(line: string): string[] {
  return line
    .split(/(?<=[.!?;])\s+/)
    .map(dropLead)
    .flatMap((sentence) =>
      /\barchiv/i.test(sentence)
        ? [sentence]
        : sentence.split(/,?\s+(?:and|but)\s+(?=(?:i|my|i'm|i've|call me)\b)|,\s+(?=(?:i|my)\s)/i),
    );
}

function dropLead(clause: string): string {
  return clause.trim().replace(lead, '').replace(polite, '');
}
