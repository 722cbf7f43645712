import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { packageFile } from '../../stack/processes.js';

/** Names of the fields that the clients of one generation can send beside the path, by operation. */
export type ClientFields = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What methods of the installed TypeScript clients take, read from their declarations: by the name of the operation
 * (`agents.messages.list`), names as they are sent.
 */
export function readClientFields(generation: 0 | 1): ClientFields {
  const root = packageFile(
    generation === 1 ? 'node_modules/letta-client-1/resources' : 'node_modules/letta-client-0/api',
  );
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => join(root, file))
    .sort();
  const sources = files.map((file) =>
    ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023),
  );
  const declared = declarationsOf(sources);
  const fields = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const node of source.statements.filter(ts.isClassDeclaration)) {
      const resource = resourceOf(relative(root, source.fileName), generation);
      if (resource === undefined) continue;
      for (const member of node.members.filter(ts.isMethodDeclaration)) {
        const name = `${resource}.${snake(member.name.getText(source))}`;
        const known = fields.get(name) ?? new Set();
        for (const { type, name: parameter } of member.parameters) {
          if (type === undefined || /^(request)?options$/i.test(parameter.getText(source))) continue;
          for (const field of namesOf(type, source.fileName, declared)) known.add(snake(field));
        }
        fields.set(name, known);
      }
    }
  }
  return fields;
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

/** Interfaces and type aliases by name; of one name there are several in different files. */
type Declarations = ReadonlyMap<string, readonly { readonly file: string; readonly node: Declaration }[]>;

function declarationsOf(sources: readonly ts.SourceFile[]): Declarations {
  const found = new Map<string, { file: string; node: Declaration }[]>();
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
        found.set(node.name.text, [...(found.get(node.name.text) ?? []), { file: source.fileName, node }]);
      }
      if (ts.isModuleDeclaration(node) || ts.isModuleBlock(node)) ts.forEachChild(node, visit);
    };
    ts.forEachChild(source, visit);
  }
  return found;
}

/** The names of a type's properties, wherever it is declared: the nearest file first. */
function namesOf(type: ts.Node, file: string, declared: Declarations): string[] {
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) {
    return type.types.flatMap((one) => namesOf(one, file, declared));
  }
  if (ts.isTypeLiteralNode(type) || ts.isInterfaceDeclaration(type)) {
    const own = type.members.flatMap((member) =>
      member.name !== undefined && (ts.isIdentifier(member.name) || ts.isStringLiteral(member.name))
        ? [member.name.text]
        : [],
    );
    const inherited = ts.isInterfaceDeclaration(type) ? (type.heritageClauses ?? []) : [];
    return [
      ...own,
      ...inherited.flatMap(({ types }) =>
        types.flatMap(({ expression }) => namesByName(lastName(expression), file, declared)),
      ),
    ];
  }
  if (ts.isTypeReferenceNode(type)) return namesByName(lastName(type.typeName), file, declared);
  return [];
}

const pageParams = ['before', 'after', 'limit', 'order', 'order_by'];

function namesByName(name: string, file: string, declared: Declarations): string[] {
  if (name === 'ArrayPageParams') return pageParams;
  const [nearest] = (declared.get(name) ?? [])
    // A namespace's alias of a type that another file declares.
    .filter(({ node }) => !ts.isTypeAliasDeclaration(node) || !isAliasOf(node.type, name))
    .sort((a, b) => distance(file, a.file) - distance(file, b.file));
  if (nearest === undefined) return [];
  const { node } = nearest;
  return namesOf(ts.isTypeAliasDeclaration(node) ? node.type : node, nearest.file, declared);
}

function isAliasOf(type: ts.TypeNode, name: string): boolean {
  return ts.isTypeReferenceNode(type) && lastName(type.typeName) === name;
}

/** Steps from one file's directory to another's. */
function distance(from: string, to: string): number {
  return from === to ? -1 : relative(dirname(from), dirname(to)).split('/').filter(Boolean).length;
}

function lastName(node: ts.Node): string {
  if (ts.isQualifiedName(node)) return node.right.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isIdentifier(node) ? node.text : '';
}

function resourceOf(path: string, generation: 0 | 1): string | undefined {
  if (generation === 0) {
    if (!path.endsWith('client/Client.d.ts')) return undefined;
    return snake(
      dirname(dirname(path))
        .replace(/^resources\//, '')
        .replaceAll('/resources/', '.'),
    );
  }
  const parts = path
    .replace(/\.d\.ts$/, '')
    .split('/')
    .map((part) => part.replaceAll('-', '_'));
  return parts.filter((part, index) => part !== parts[index - 1]).join('.');
}

function snake(name: string): string {
  return name.replace(/^_+/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
