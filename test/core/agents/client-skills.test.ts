import { describe, expect, it } from '@jest/globals';
import { withClientSkills } from '../../../core/agents/client-skills.js';

describe('[seeds.client-skills] withClientSkills', () => {
  it('lists each skill on a line of its own after the instructions', () => {
    const skills = [
      { name: 'bake', description: 'How to bake.', location: '/skills/bake.md' },
      { name: 'brew', description: 'How to brew.', location: '/skills/brew.md' },
    ];

    expect(withClientSkills('Be kind.', skills)).toMatchInlineSnapshot(`
"Be kind.

<available_skills>
- bake (/skills/bake.md): How to bake.
- brew (/skills/brew.md): How to brew.
</available_skills>"
`);
  });

  it('leaves the instructions unchanged when there are no skills', () => {
    expect(withClientSkills('Be kind.', [])).toBe('Be kind.');
  });
});
