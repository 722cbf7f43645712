import { builtinModules } from 'node:module';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import ts from 'typescript';

const clocks = [
  { object: 'Date', property: 'now', message: 'Pass the time in.' },
  { object: 'Math', property: 'random', message: 'Pass the value in.' },
];

/**
 * Reports what the compiler says of a file. It is asked here because the rules below have it infer all types anyway: `tsc`
 * would do that a second time.
 */
const compiles = {
  meta: { type: 'problem', schema: [] },
  create: ({ sourceCode, report }) => ({
    Program(node) {
      const { program, esTreeNodeToTSNodeMap } = sourceCode.parserServices;
      for (const found of ts.getPreEmitDiagnostics(program, esTreeNodeToTSNodeMap.get(node))) {
        // The parser asks the compiler for unused names too, which a rule of its own reports.
        if (found.reportsUnnecessary) continue;
        const message = `TS${found.code}: ${ts.flattenDiagnosticMessageText(found.messageText, '\n')}`;
        report({ loc: sourceCode.getLocFromIndex(found.start ?? 0), message });
      }
    },
  }),
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'dist/',
      'dist-docs/',
      '.cache/',
      'coverage/',
      '**/*.cjs',
      '**/*.js',
      '**/*.mjs',
      'test/seeds/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'studio/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { types: { rules: { compiles } } },
    rules: {
      'types/compiles': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['activities/**', 'test/**', 'bench/**', 'schema/**'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // A model activity waits on streams and a test on conditions: 'max-lines' is a reader's limit, not a table's.
    files: ['test/**'],
    rules: { 'max-lines': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    // Components return what they show, and handlers call one thing.
    files: ['studio/**'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
    },
  },
  {
    files: ['core/**', 'workflows/**'],
    rules: {
      'no-restricted-imports': ['error', { paths: builtinModules.flatMap((m) => [m, `node:${m}`]) }],
      'no-restricted-globals': ['error', 'process', 'Buffer', 'fetch'],
    },
  },
  {
    files: ['core/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Pass the time in.' },
      ],
      'no-restricted-properties': ['error', ...clocks],
    },
  },
);
