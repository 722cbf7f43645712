import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { browserPath } from '../support/browser.js';
import { runCanary } from '../support/runtime/canary.js';
import { lastSaid, type Policy } from '../support/model-server.js';
import { shareTestStack } from '../support/stack.js';
import { startStudioPage, type StudioPage } from '../support/studio.js';
import { testAccess } from './studio/access.js';
import { testAgents } from './studio/agents.js';
import { testMind } from './studio/mind.js';
import { testPast } from './studio/past.js';
import { testRecall } from './studio/recall.js';
import { testScale } from './studio/scale.js';
import { testSettings } from './studio/settings.js';
import { testSleep } from './studio/sleep.js';
import { testTalk } from './studio/talk.js';

/** Remembers what follows "Remember", and says what it was told. */
const policy: Policy = (request, step) => {
  const thinking = `I act. ${runCanary()}`;
  if (request.tools?.some((tool) => tool.function.name === 'memory_finish_edits') === true) {
    return step === 0
      ? { call: 'memory_insert', args: { label: 'human', new_string: 'Keeps bees.' } }
      : { call: 'memory_finish_edits', args: {} };
  }
  const said = unpacked(lastSaid(request));
  const [, fact] = /Remember (.+?)\./.exec(said) ?? [];
  if (step === 0 && fact !== undefined)
    return {
      call: 'core_memory_append',
      args: { thinking, label: 'human', content: fact, request_heartbeat: true },
    };
  return { call: 'send_message', args: { thinking, message: `Heard: ${said}` } };
};

/** What the user wrote, out of the event that the runtime packs it in. */
function unpacked(said: string): string {
  return said.startsWith('{') ? (JSON.parse(said) as { message: string }).message : said;
}

describe('[studio.budget] the studio’s first script', () => {
  it('has at most 350 kB compressed, and React as it is for users', () => {
    const page = 'dist/studio/index.html';
    if (!existsSync(page)) throw new Error(`${page} is missing: build the studio with \`npm run prepare\`.`);
    const first = readFileSync(page, 'utf8').matchAll(/(?:src|href)="\/studio\/(assets\/[^"]+\.js)"/g);

    const scripts = [...first].map(([, file = '']) => readFileSync(`dist/studio/${file}`));
    const sizes = scripts.map((script) => gzipSync(script).length);

    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(350_000);
    // What JSX becomes where React looks for mistakes, at the cost of time.
    expect(scripts.filter((script) => script.includes('jsxDEV'))).toEqual([]);
  });
});

const describeInBrowser = browserPath === undefined ? describe.skip : describe;

// In one file, because a browser and a page's first load cost more than most of the tests.
describeInBrowser('[studio.pages] the studio in a browser (needs Chromium: apt-get install chromium)', () => {
  let started: StudioPage;
  const studio = () => started;

  beforeAll(async () => {
    started = await startStudioPage(shareTestStack(policy));
  });
  afterEach(() => {
    started.stack.model.onHalfway = undefined;
  });
  afterAll(() => started.close());

  testTalk(studio);
  testMind(studio);
  testPast(studio);
  testRecall(studio);
  testSleep(studio);
  testSettings(studio);
  testAccess(studio);
  // A few pages of each; `npm run studio:speed` has more.
  testScale(studio, { agents: 200, messages: 1_000 });
  // Last, because it goes to a page of another server.
  testAgents(studio);
});
