import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from '@jest/globals';
import { withoutContents } from '../../activities/failures.js';

const quiet = { warn: () => undefined, error: () => undefined };

const failing = (code: string) =>
  withoutContents(
    { callModel: () => Promise.reject(Object.assign(new Error('while updating "Ann"'), { code })) },
    quiet,
  ).callModel;

describe('[waits.retried] an activity that fails', () => {
  it.each(['55P03', '57014', '25P03', '57P01', '08006', 'ECONNREFUSED'])(
    'with the database error %s can be retried, and hides its message',
    async (code) => {
      const failure = await failing(code)({} as never).catch((error: unknown) => error);

      expect(failure).toBeInstanceOf(ApplicationFailure);
      expect(failure).toMatchObject({
        type: 'Database.Unavailable',
        nonRetryable: false,
        message: 'Activity callModel failed.',
      });
    },
  );

  it('with a wrong statement is named by its code', async () => {
    await expect(failing('42601')({} as never)).rejects.toMatchObject({ type: 'Error.42601' });
  });
});
