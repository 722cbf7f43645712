import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { variables } from '../../adapters/settings/variables.js';
import { packageScripts, projectRoot, readProjectFile } from '../support/house/project-files.js';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly restart?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number | null>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly deploy?: { readonly replicas?: number };
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const text = readProjectFile('docker-compose.yml');
const compose = parse(text, { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, unknown>>;
};
const { services } = compose;
const dockerfile = readProjectFile('Dockerfile');

/** The schema of the Compose Specification, from the package dclint. */
function composeSchema(): object {
  const manifest = createRequire(import.meta.url).resolve('dclint/package.json');
  const file = join(dirname(manifest), 'schemas', 'compose.schema.json');
  // Ajv does not know the address of its dialect, which is Ajv's default.
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as object), $schema: undefined };
}

/** The source files of the programs that a command runs from dist. */
function programsOf(command: readonly string[]): string[] {
  return command.flatMap((part) => {
    const [, path] = /^dist\/(.+)\.js$/.exec(part) ?? [];
    return path === undefined ? [] : [`${path}.ts`];
  });
}

/** The top-level paths that the Dockerfile copies from the project. */
function copiedPaths(): string[] {
  return [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, paths]) => paths?.split(' ') ?? [],
  );
}

describe('[scale.compose] docker-compose.yml', () => {
  it('is valid under the Compose Specification', () => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(composeSchema());
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
    expect(validate({ services: { server: { comand: ['x'] } } })).toBe(false);
  });

  it('has two databases, Temporal with its UI, a migration, two servers and two workers', () => {
    expect(Object.keys(services).sort()).toEqual([
      ...['migrate', 'postgres', 'server', 'temporal', 'temporal-postgres', 'temporal-ui', 'worker'],
    ]);
    expect(services['postgres']?.image).toMatch(/^pgvector\/pgvector:pg18/);
    expect(services['temporal']?.environment).toMatchObject({ POSTGRES_SEEDS: 'temporal-postgres' });
    expect(services['server']?.deploy?.replicas).toBe(2);
    expect(services['worker']?.deploy?.replicas).toBe(2);
  });

  it('pins every image that it pulls', () => {
    const pulled = Object.values(services).filter(({ build }) => build === undefined);
    expect(pulled.filter(({ image }) => !/:[\w.-]*\d/.test(image ?? ''))).toEqual([]);
  });

  it('restarts what ends and checks the health of every dependency', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.restart]).toEqual([name, name === 'migrate' ? 'on-failure' : 'unless-stopped']);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const promised = other === 'migrate' ? 'service_completed_successfully' : 'service_healthy';
        expect([name, other, condition]).toEqual([name, other, promised]);
        if (promised === 'service_healthy') expect(services[other]?.healthcheck).toBeDefined();
      }
    }
    expect(services['server']?.healthcheck).toBeDefined();
    expect(services['worker']?.healthcheck).toBeDefined();
  });

  it('starts server and worker only after the migration', () => {
    for (const name of ['server', 'worker']) {
      expect(services[name]?.depends_on).toHaveProperty(
        'migrate.condition',
        'service_completed_successfully',
      );
    }
  });

  it('keeps both databases in named volumes', () => {
    const mounted = ['postgres', 'temporal-postgres'].map(
      (name) => services[name]?.volumes?.[0]?.split(':')[0],
    );
    expect(mounted).toEqual(['postgres', 'temporal-postgres']);
    expect(Object.keys(compose.volumes)).toEqual(mounted);
  });

  it('contains no passwords: the user must set them', () => {
    const secrets = Object.values(services).flatMap(({ environment = {} }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|_PWD$|_KEY$|DATABASE_URL/.test(name)),
    );
    expect(secrets.length).toBeGreaterThan(5);
    const given = secrets.filter(
      ([, value]) => value !== null && !/\$\{\w+_PASSWORD:\?[^}]+\}/.test(String(value)),
    );
    expect(given).toEqual([]);
  });

  it('isolates custom tools strictly, and relaxes only the worker for bubblewrap', () => {
    const unconfined = ['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'];
    for (const name of ['migrate', 'server', 'worker']) {
      const { environment, security_opt: options, cap_drop: dropped } = services[name] ?? {};
      expect([name, environment?.['TOOL_SANDBOX']]).toEqual([name, '${TOOL_SANDBOX:-strict}']);
      expect([name, dropped]).toEqual([name, ['ALL']]);
      const more = name === 'worker' ? unconfined : [];
      expect([name, options]).toEqual([name, ['no-new-privileges:true', ...more]]);
    }
    expect(dockerfile).toMatch(/\bbubblewrap\b/);
  });

  it('publishes its ports only on this machine', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBe(2);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('sets only variables that perdure reads, and passes on those of providers', () => {
    const known = Object.keys(variables.shape);
    const given = Object.keys(services['server']?.environment ?? {});
    expect(given.filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => /_(API_KEY|BASE_URL)$/.test(name) && !name.startsWith('TEMPORAL'))).toEqual(
      given.filter((name) => /_(API_KEY|BASE_URL)$/.test(name)),
    );
  });
});

describe('[scale.compose-commands] a program in docker-compose.yml or the Dockerfile', () => {
  it('is the same as in the script of package.json', () => {
    const scripts = packageScripts();
    for (const [service, script] of [
      ['migrate', 'migrate'],
      ['server', 'server'],
      ['worker', 'worker'],
    ] as const) {
      expect(scripts[script]).toBe(
        `node --import tsx ${programsOf(services[service]?.command ?? []).join(' ')}`,
      );
    }
  });

  it('exists, also in the image', () => {
    const commands = Object.values(services).flatMap(({ command = [], healthcheck }) => [
      ...command,
      ...(healthcheck?.test ?? []),
    ]);
    const start = /^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]';
    const programs = programsOf([...commands, ...(JSON.parse(start) as string[])]);
    expect(programs).toContain('worker/health.ts');
    for (const program of programs) {
      expect([program, existsSync(join(projectRoot, program))]).toEqual([program, true]);
      expect(copiedPaths()).toContain(program.split('/')[0]);
    }
  });

  it('is built in the image from every folder of the package', () => {
    const { include } = JSON.parse(readProjectFile('tsconfig.build.json')) as { include: readonly string[] };
    const folders = include.map((pattern) => pattern.split('/')[0]);
    expect(copiedPaths()).toEqual(
      expect.arrayContaining([...folders, 'studio', 'build.mjs', 'tsconfig.json', 'tsconfig.build.json']),
    );
    expect(dockerfile).toMatch(/^RUN npm run build\n(.+\n|\n)+COPY --from=build \/app\/dist \.\/dist$/m);
  });

  it('is not excluded from the build by .dockerignore', () => {
    const lines = readProjectFile('.dockerignore').split('\n');
    for (const path of copiedPaths()) {
      expect([path, existsSync(join(projectRoot, path))]).toEqual([path, true]);
      expect(lines).toContain(`!${path}`);
    }
  });

  it('mounts only existing files', () => {
    const files = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .filter((volume) => volume.startsWith('./'));
    expect(files).toHaveLength(1);
    for (const file of files) expect(existsSync(join(projectRoot, file.split(':')[0] ?? ''))).toBe(true);
  });

  it('runs as a user other than root, on the project’s version of Node', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image?.split('-')[0]);
    expect([...new Set(images)]).toEqual(['node:20']);
  });
});
