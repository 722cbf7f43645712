import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Page } from '../../schema/db/paging.js';
import type { App } from '../deps.js';
import { type PageQuery, toPage } from './fields-wire.js';
import { describeRoute } from './route-documentation.js';

/** A request whose parts have passed their schemas. */
export interface CheckedRequest<Params, Query = unknown, Body = unknown> extends Pick<
  FastifyRequest,
  'headers' | 'toolCaller'
> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

type Answer<Item extends z.ZodType> = z.input<Item> | Promise<z.input<Item>>;

/** Reads one page of a list. `page` is the one that the request asks for. */
type ReadPage<Params extends z.ZodType, Query extends z.ZodType, Item extends z.ZodType> = (
  request: CheckedRequest<z.output<Params>, z.output<Query>>,
  page: Page,
) => readonly z.input<Item>[] | Promise<readonly z.input<Item>[]>;

/** What a list can be asked for. */
interface Listing<Query extends z.ZodType<PageQuery>> {
  readonly query: Query;
  /** The order of a client that names none. */
  readonly order: 'asc' | 'desc';
}

interface ListOptions<
  Params extends z.ZodObject,
  Query extends z.ZodType<PageQuery>,
  Item extends z.ZodType,
> extends Listing<Query> {
  readonly path: string;
  /** The operation's name in Letta's clients: `agents.tools.list`. */
  readonly operation: string;
  readonly summary: string;
  /** The path's parameters, where it has some. */
  readonly params?: Params;
  /** An item as the API shows it. */
  readonly item: Item;
}

/** Registers a list that is read a page at a time. */
export function listRoute<
  Params extends z.ZodObject,
  Query extends z.ZodType<PageQuery>,
  Item extends z.ZodType,
>(app: App, options: ListOptions<Params, Query, Item>, readPage: ReadPage<Params, Query, Item>): void {
  const { path, operation, summary, params, query, order, item } = options;
  const schema: FastifySchema = {
    ...describeRoute(operation, summary),
    ...(params === undefined ? {} : { params }),
    querystring: query,
    response: { 200: z.array(item) },
  };
  app.get(path, { schema }, async (request) => {
    const asked = checked<z.output<Params>, z.output<Query>, unknown>(request);
    return [...(await readPage(asked, toPage(asked.query, order)))];
  });
}

interface ResourceOptions<Params extends z.ZodObject, Item extends z.ZodType> {
  /** The path of the list; the path of one item has the last of `params` behind it. */
  readonly path: string;
  /** The operations' name in Letta's clients, without the verb: `agents.schedule`. */
  readonly operations: string;
  /** Parameters of the path of one item: those of the list's path, then the item's id. */
  readonly params: Params;
  /** An item as the API shows it. */
  readonly item: Item;
}

/**
 * The routes that one kind of thing has under its path. Each method registers one of them. A handler that is asked for
 * an unknown item throws the error of its subject, which `problems.ts` answers with 404.
 */
export interface Resource<Params extends z.ZodObject, Item extends z.ZodType> {
  create<Body extends z.ZodType>(
    summary: string,
    body: Body,
    make: (
      request: CheckedRequest<z.output<Params>, unknown, z.output<Body>>,
      reply: FastifyReply,
    ) => Answer<Item>,
  ): void;
  list<Query extends z.ZodType<PageQuery>>(
    summary: string,
    listing: Listing<Query>,
    readPage: ReadPage<Params, Query, Item>,
  ): void;
  count(summary: string, count: () => Promise<number>): void;
  retrieve(
    summary: string,
    read: (request: CheckedRequest<z.output<Params>>, reply: FastifyReply) => Answer<Item>,
  ): void;
  /** `verb`: what Letta's clients call the change. */
  change<Body extends z.ZodType>(
    verb: 'update' | 'modify',
    summary: string,
    body: Body,
    change: (
      request: CheckedRequest<z.output<Params>, unknown, z.output<Body>>,
      reply: FastifyReply,
    ) => Answer<Item>,
  ): void;
  /** Deletes an item and answers `null`. */
  delete(summary: string, remove: (request: CheckedRequest<z.output<Params>>) => Promise<unknown>): void;
  /** Deletes an item and answers what it was: clients of 0.1.x read that. */
  deleteAndShow(summary: string, remove: (request: CheckedRequest<z.output<Params>>) => Answer<Item>): void;
}

/** See `Resource`. */
export function createResource<Params extends z.ZodObject, Item extends z.ZodType>(
  app: App,
  { path, operations, params, item }: ResourceOptions<Params, Item>,
): Resource<Params, Item> {
  const fields = Object.entries(params.shape);
  const itemPath = `${path}/:${fields.at(-1)?.[0] ?? ''}`;
  const parents = fields.slice(0, -1);
  const inPath = parents.length === 0 ? {} : { params: z.object(Object.fromEntries(parents)) };
  const describe = (verb: string, summary: string) => describeRoute(`${operations}.${verb}`, summary);
  const one = { 200: item };

  return {
    create: (summary, body, make) => {
      const schema: FastifySchema = { ...describe('create', summary), ...inPath, body, response: one };
      app.post(path, { schema }, (request, reply) => make(checked(request), reply));
    },
    list: (summary, listing, readPage) => {
      const options = { path, operation: `${operations}.list`, summary, item, ...inPath, ...listing };
      listRoute(app, options, readPage);
    },
    count: (summary, count) => {
      const schema: FastifySchema = { ...describe('count', summary), response: { 200: z.number() } };
      app.get(`${path}/count`, { schema }, count);
    },
    retrieve: (summary, read) => {
      const schema: FastifySchema = { ...describe('retrieve', summary), params, response: one };
      app.get(itemPath, { schema }, (request, reply) => read(checked(request), reply));
    },
    change: (verb, summary, body, change) => {
      const schema: FastifySchema = { ...describe(verb, summary), params, body, response: one };
      app.patch(itemPath, { schema }, (request, reply) => change(checked(request), reply));
    },
    delete: (summary, remove) => {
      const schema: FastifySchema = { ...describe('delete', summary), params };
      app.delete(itemPath, { schema }, async (request) => {
        await remove(checked(request));
        return null;
      });
    },
    deleteAndShow: (summary, remove) => {
      const schema: FastifySchema = { ...describe('delete', summary), params, response: one };
      app.delete(itemPath, { schema }, (request) => remove(checked(request)));
    },
  };
}

/** Fastify has validated the request with these schemas. The compiler can't infer types from schemas that are parameters. */
function checked<Params, Query, Body>(request: FastifyRequest): CheckedRequest<Params, Query, Body> {
  return request as CheckedRequest<Params, Query, Body>;
}
