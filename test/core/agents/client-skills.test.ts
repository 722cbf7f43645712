import { describe, expect, it } from '@jest/globals';
import { withClientSkills } from '../../../core/agents/client-skills.js';

describe('[seeds.client-skills] withClientSkills', () => {
  it('tells each skill on a line behind the instructions', () => {
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

  it('leaves the instructions alone where there are none', () => {
    expect(withClientSkills('Be kind.', [])).toBe('Be kind.');
  });
});
