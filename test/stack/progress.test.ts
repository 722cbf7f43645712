import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { showProgress } from '../../stack/progress.js';

describe('[stack.progress] showProgress', () => {
  let said: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    said = [];
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const say = (line: string) => said.push(line);

  it('says nothing of what is quick', async () => {
    expect(await showProgress(say, 'Making it', Promise.resolve(7))).toBe(7);
    await jest.advanceTimersByTimeAsync(60_000);

    expect(said).toEqual([]);
  });

  it('says what is going on after a second, and from then on how long it has taken', async () => {
    let finish = (): void => undefined;
    const work = showProgress(say, 'Making it', new Promise<void>((resolve) => (finish = resolve)));

    await jest.advanceTimersByTimeAsync(999);
    expect(said).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['Making it …']);
    await jest.advanceTimersByTimeAsync(30_000);
    finish();
    await work;
    await jest.advanceTimersByTimeAsync(60_000);

    expect(said).toEqual(['Making it …', 'Making it … 16 s', 'Making it … 31 s']);
  });

  it('passes a failure on and falls silent', async () => {
    const failure = new Error('it broke');
    await expect(showProgress(say, 'Making it', Promise.reject(failure))).rejects.toBe(failure);
    await jest.advanceTimersByTimeAsync(60_000);

    expect(said).toEqual([]);
  });
});
