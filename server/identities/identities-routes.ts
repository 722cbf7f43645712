import { z } from 'zod';
import { identityTypes } from '../../core/identities/identities.js';
import { attachIdentity, detachIdentity } from '../../schema/identities/agent-identities.js';
import { requireAgent } from '../../schema/agents/agents.js';
import {
  countIdentities,
  createIdentity,
  deleteIdentity,
  listIdentities,
  requireIdentity,
  setProperties,
  updateIdentity,
  upsertIdentity,
} from '../../schema/identities/identities.js';
import { viewAgent } from '../agents/views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { pageFields, toPage } from '../http/fields-wire.js';
import {
  createIdentityBody,
  fromCreateIdentity,
  fromUpdateIdentity,
  propertiesBody,
  toWireIdentity,
  updateIdentityBody,
  wireIdentity,
} from './identities-wire.js';
import { idOf } from '../http/ids-wire.js';
import { agentParams } from '../agents/agents-routes.js';
import { describeRoute } from '../http/documentation-routes.js';

const identityParams = z.object({ identity_id: idOf('identity') });

const listQuery = z.object({
  ...pageFields(idOf('identity'), 50),
  name: z.string().optional(),
  project_id: z.string().optional(),
  identifier_key: z.string().optional(),
  identity_type: z.enum(identityTypes).optional(),
});

/** Identities: whom agents and blocks are for. */
export function identityRoutes(app: App, context: RouteContext): void {
  collectionRoutes(app, context);
  itemRoutes(app, context);
  attachingRoutes(app, context);
}

function collectionRoutes(app: App, { db }: RouteContext): void {
  app.post(
    '/v1/identities',
    {
      schema: {
        ...describeRoute('identities.create', 'Create an identity'),
        body: createIdentityBody,
        response: { 200: wireIdentity },
      },
    },
    async ({ body }) => toWireIdentity(await createIdentity(db, fromCreateIdentity(body))),
  );
  app.put(
    '/v1/identities',
    {
      schema: {
        ...describeRoute('identities.upsert', 'Create an identity, or change the one of this key'),
        body: createIdentityBody,
        response: { 200: wireIdentity },
      },
    },
    async ({ body }) => toWireIdentity(await upsertIdentity(db, fromCreateIdentity(body))),
  );
  app.get(
    '/v1/identities',
    {
      schema: {
        ...describeRoute('identities.list', 'List identities, newest first'),
        querystring: listQuery,
        response: { 200: z.array(wireIdentity) },
      },
    },
    async ({ query }) => {
      const { name, project_id: projectId, identifier_key: identifierKey, identity_type: type } = query;
      const filter = { name, projectId, identifierKey, type };
      return (await listIdentities(db, filter, toPage(query, 'desc'))).map(toWireIdentity);
    },
  );
  app.get(
    '/v1/identities/count',
    { schema: { ...describeRoute('identities.count', 'Count identities'), response: { 200: z.number() } } },
    () => countIdentities(db),
  );
}

function itemRoutes(app: App, { db }: RouteContext): void {
  const url = '/v1/identities/:identity_id';
  app.get(
    url,
    {
      schema: {
        ...describeRoute('identities.retrieve', 'Retrieve an identity'),
        params: identityParams,
        response: { 200: wireIdentity },
      },
    },
    async ({ params }) => toWireIdentity(await requireIdentity(db, params.identity_id)),
  );
  app.patch(
    url,
    {
      schema: {
        ...describeRoute('identities.modify', 'Change an identity'),
        params: identityParams,
        body: updateIdentityBody,
        response: { 200: wireIdentity },
      },
    },
    async ({ params, body }) =>
      toWireIdentity(await updateIdentity(db, params.identity_id, fromUpdateIdentity(body))),
  );
  app.delete(
    url,
    {
      schema: {
        ...describeRoute('identities.delete', 'Delete an identity; its agents and blocks live on'),
        params: identityParams,
      },
    },
    async ({ params }) => {
      await deleteIdentity(db, params.identity_id);
      return null;
    },
  );
  app.put(
    `${url}/properties`,
    {
      schema: {
        ...describeRoute('identities.properties.upsert', 'Set properties of an identity by their keys'),
        params: identityParams,
        body: propertiesBody,
        response: { 200: wireIdentity },
      },
    },
    async ({ params, body }) => toWireIdentity(await setProperties(db, params.identity_id, body)),
  );
}

function attachingRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const params = agentParams.extend(identityParams.shape);
  const doings = [
    ['attach', attachIdentity, 'Say that an agent is there for an identity'],
    ['detach', detachIdentity, 'Say that an agent is no longer there for an identity'],
  ] as const;
  for (const [name, change, summary] of doings) {
    app.patch(
      `/v1/agents/:agent_id/identities/${name}/:identity_id`,
      {
        schema: {
          ...describeRoute(`agents.identities.${name}`, summary),
          params,
          response: { 200: wireAgent },
        },
      },
      async (request) => {
        const { agent_id: agentId, identity_id: identityId } = request.params;
        await requireAgent(db, agentId);
        await requireIdentity(db, identityId);
        await change(db, agentId, identityId);
        return viewAgent(context, await requireAgent(db, agentId));
      },
    );
  }
}
