/**
 * Instructions that a client offers for one turn. The agent reads the full text with a tool of the client's when it
 * needs it.
 */
export interface ClientSkill {
  readonly name: string;
  readonly description: string;
  /** Where the client keeps it. */
  readonly location: string;
}

/** Adds the list of the client's skills to the base instructions. Unchanged if there are none. */
export function withClientSkills(system: string, skills: readonly ClientSkill[]): string {
  if (skills.length === 0) return system;
  const lines = skills.map(({ name, description, location }) => `- ${name} (${location}): ${description}`);
  return [system, '', '<available_skills>', ...lines, '</available_skills>'].join('\n');
}

/** The inverse of `withClientSkills`. */
export function withoutClientSkills(prompt: string): string {
  return prompt.replace(/\n\n<available_skills>\n[\s\S]*?\n<\/available_skills>/, '');
}
