/** A skill that a client brings: instructions that the agent may read when it needs them, with a tool of the client's. */
export interface ClientSkill {
  readonly name: string;
  readonly description: string;
  /** Where its client finds it. */
  readonly location: string;
}

/** Base instructions with the skills that the turn's client brings; as they are where it brings none. */
export function withClientSkills(system: string, skills: readonly ClientSkill[]): string {
  if (skills.length === 0) return system;
  const lines = skills.map(({ name, description, location }) => `- ${name} (${location}): ${description}`);
  return [system, '', '<available_skills>', ...lines, '</available_skills>'].join('\n');
}

/** A prompt without the skills that a client brought. */
export function withoutClientSkills(prompt: string): string {
  return prompt.replace(/\n\n<available_skills>\n[\s\S]*?\n<\/available_skills>/, '');
}
