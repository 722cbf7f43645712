import { waitFor } from '../../../stack/waiting.js';
import { createScriptedModels } from '../models/scripted-model.js';
import { startModelServer } from '../model-server.js';
import { patience, type Point } from '../points.js';
import { startRuntime, type TestRuntime } from '../runtime/runtime.js';
import { spawnWorker, workerEnvironment, type WorkerProcess } from '../worker-process.js';
import { castRoles, type Role } from './roles.js';

/** What a scene has to play with. */
export interface Scene {
  /** Shared by all scenes. */
  readonly runtime: TestRuntime;
  /** The model of this scene's agents. */
  readonly model: Role;
  /** Has the worker stop what it does for these workflows at a point. */
  stopAt(point: Point, workflows: readonly string[]): Promise<void>;
  /** Waits until the scene stands still, at its point or where this says so, and for the kill; returns when, in ms. */
  killed(standstill?: Promise<void>): Promise<number>;
}

/** Plays a scene, and returns what it leaves. */
type Play<Result> = (scene: Scene) => Promise<Result>;
/** Waits for what a scene leaves. */
type Left<Result> = () => Promise<Result>;

/**
 * Scenes that are disturbed by one kill -9 of their worker: it comes when each stands still at a point of its own, so
 * that many turns are under way, as with users.
 */
export interface OneKill {
  /** Adds a scene. `last`: it begins when the others stand still, since they would wait for a lock that it keeps. */
  scene<Result>(name: string, play: Play<Result>, order?: 'last'): Left<Result>;
  /** Adds a scene that begins after the kill, with the next worker. */
  undisturbed<Result>(play: Play<Result>): Left<Result>;
  /** Begins all scenes. Resolves after the kill. */
  begin(): Promise<void>;
  /** What the workers said on stderr. */
  errors(): readonly string[];
  close(): Promise<void>;
}

interface Planned {
  readonly name: string;
  readonly order: 'first' | 'last' | 'afterwards';
  /** Resolves when the scene stands still, or is over. */
  begin(stage: Stage): Promise<void>;
}

export function planKill(): OneKill {
  const planned: Planned[] = [];
  let stage: Stage | undefined;

  const plan = <Result>({ name, order }: Omit<Planned, 'begin'>, play: Play<Result>): Left<Result> => {
    let result: Promise<Result> | undefined;
    const role = `scene-${planned.length}`;
    const begin = async (on: Stage): Promise<void> => {
      const standing = new Promise<void>((resolve) => {
        result = play(on.scene(role, resolve));
      });
      await Promise.race([standing, result?.catch(() => undefined)]);
    };
    planned.push({ name, order, begin });
    return () => result ?? Promise.reject(new Error(`${name} was not begun.`));
  };

  return {
    scene: (name, play, order) => plan({ name, order: order ?? 'first' }, play),
    undisturbed: (play) => plan({ name: 'undisturbed', order: 'afterwards' }, play),
    async begin() {
      stage = await openStage();
      const inOrder = (order: Planned['order']) => planned.filter((one) => one.order === order);
      await untilAllStand(stage, inOrder('first'));
      await untilAllStand(stage, inOrder('last'));
      await stage.kill();
      for (const scene of inOrder('afterwards')) void scene.begin(stage);
    },
    errors: () => stage?.errors() ?? [],
    close: async () => stage?.close(),
  };
}

async function untilAllStand(stage: Stage, scenes: readonly Planned[]): Promise<void> {
  const moving = new Set(scenes);
  for (const scene of scenes) void scene.begin(stage).then(() => moving.delete(scene));
  const allStand = (): true | undefined => (moving.size === 0 ? true : undefined);
  if ((await waitFor(allStand, { timeoutMs: 120_000 })) === undefined)
    throw new Error(
      `These scenes did not reach their points: ${[...moving].map(({ name }) => name).join(', ')}.`,
    );
}

interface Stage {
  scene(role: string, stands: () => void): Scene;
  /** Starts the next worker, and kills the first one once that is ready. */
  kill(): Promise<void>;
  errors(): readonly string[];
  close(): Promise<void>;
}

async function openStage(): Promise<Stage> {
  const runtime = await startRuntime({ models: createScriptedModels(), limits: patience });
  const server = await startModelServer(() => ({ status: 404 }));
  const cast = castRoles(server);
  const spawnNext = (): WorkerProcess => spawnWorker(workerEnvironment(runtime, server));
  const first = spawnNext();
  const workers = [first];
  await first.ready;
  let tellDeath: (killedAt: number) => void;
  const death = new Promise<number>((resolve) => (tellDeath = resolve));
  return {
    scene(role, stands) {
      let stopped: Promise<void> | undefined;
      return {
        runtime,
        model: cast(role),
        async stopAt(point, workflows) {
          await first.add({ point, workflows });
          stopped = first.stopped(workflows);
        },
        async killed(standstill = stopped) {
          await standstill;
          stands();
          return death;
        },
      };
    },
    async kill() {
      const next = spawnNext();
      workers.push(next);
      await next.ready;
      const killedAt = Date.now();
      await first.kill();
      tellDeath(killedAt);
    },
    errors: () => workers.flatMap(({ errors }) => errors),
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await server.close();
      await runtime.close();
    },
  };
}
