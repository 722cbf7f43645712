/** `@jest/globals` for files that share their process: each name stands for what the running file's framework has. */
const framework = Symbol.for('perdure.test-framework');

const standIn = (name) =>
  new Proxy(() => {}, {
    get: (_, key) => globalThis[framework][name][key],
    apply: (_, self, args) => globalThis[framework][name].apply(self, args),
  });

export const afterAll = standIn('afterAll');
export const afterEach = standIn('afterEach');
export const beforeAll = standIn('beforeAll');
export const beforeEach = standIn('beforeEach');
export const describe = standIn('describe');
export const expect = standIn('expect');
export const it = standIn('it');
export const jest = standIn('jest');
export const test = standIn('test');
