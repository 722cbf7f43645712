import type { ChatRequest, ModelServer } from '../model-server.js';

/** A model of one scene's own, beside those of others on the same server. */
export interface Role extends Pick<ModelServer, 'policy' | 'onHalfway' | 'requests'> {
  /** The agents' model. */
  readonly handle: string;
}

/** Has the server answer for every role by that role's policy. Returns how to make a role. */
export function castRoles(server: ModelServer): (name: string) => Role {
  const roles = new Map<string, Role>();
  const roleOf = ({ model }: ChatRequest): Role | undefined => roles.get(model);
  server.policy = (request, step) => roleOf(request)?.policy(request, step) ?? { status: 404 };
  server.onHalfway = (request, step) => roleOf(request)?.onHalfway?.(request, step) ?? Promise.resolve();
  return (name) => {
    const role: Role = {
      handle: `openai/${name}`,
      policy: () => ({ status: 500 }),
      onHalfway: undefined,
      get requests() {
        return server.requests.filter(({ model }) => model === name);
      },
    };
    roles.set(name, role);
    return role;
  };
}

/** Has the model halt for ever in the middle of the first answer that is wanted so. Resolves when it does. */
export function haltHalfway(
  role: Role,
  isWanted: (request: ChatRequest, step: number) => boolean,
): Promise<void> {
  return new Promise((halted) => {
    role.onHalfway = (request, step) => {
      if (!isWanted(request, step)) return Promise.resolve();
      role.onHalfway = undefined;
      halted();
      return new Promise(() => undefined);
    };
  });
}
