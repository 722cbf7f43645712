import type { CallbackAnswer, CallbackReport } from '../../core/turns/callbacks.js';

/** Reports ends of turns to callback URLs. */
export interface Callbacks {
  /** Posts the report to a URL once, without following redirects. */
  post(url: string, report: CallbackReport, signal: AbortSignal): Promise<CallbackAnswer>;
}

/** `allowsPrivate`: whether private networks and this machine may be called. */
export function openCallbacks(options: { readonly allowsPrivate: boolean }): Callbacks {
  let post: Promise<Callbacks['post']> | undefined;
  return {
    async post(url, report, signal) {
      // Many workers never call back: what that takes is loaded for the first call.
      post ??= import('./callback-posts.js').then(({ createPost }) => createPost(options));
      return (await post)(url, report, signal);
    },
  };
}
