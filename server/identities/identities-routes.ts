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
import { viewAgent } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { pageFields } from '../http/fields-wire.js';
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
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

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
  const { db } = context;
  const identities = createResource(app, {
    ...{ path: '/v1/identities', operations: 'identities' },
    ...{ params: identityParams, item: wireIdentity },
  });
  identities.create('Create an identity', createIdentityBody, async ({ body }) =>
    toWireIdentity(await createIdentity(db, fromCreateIdentity(body))),
  );
  identities.list(
    'List identities, newest first',
    { query: listQuery, order: 'desc' },
    async ({ query }, page) => {
      const { name, project_id: projectId, identifier_key: identifierKey, identity_type: type } = query;
      return (await listIdentities(db, { name, projectId, identifierKey, type }, page)).map(toWireIdentity);
    },
  );
  identities.count('Count identities', () => countIdentities(db));
  identities.retrieve('Retrieve an identity', async ({ params }) =>
    toWireIdentity(await requireIdentity(db, params.identity_id)),
  );
  identities.change('modify', 'Change an identity', updateIdentityBody, async ({ params, body }) =>
    toWireIdentity(await updateIdentity(db, params.identity_id, fromUpdateIdentity(body))),
  );
  identities.delete('Delete an identity; its agents and blocks stay', ({ params }) =>
    deleteIdentity(db, params.identity_id),
  );
  upsertRoutes(app, context);
  attachingRoutes(app, context);
}

function upsertRoutes(app: App, { db }: RouteContext): void {
  app.put(
    '/v1/identities',
    {
      schema: {
        ...describeRoute('identities.upsert', 'Create an identity, or change the one with this key'),
        body: createIdentityBody,
        response: { 200: wireIdentity },
      },
    },
    async ({ body }) => toWireIdentity(await upsertIdentity(db, fromCreateIdentity(body))),
  );
  app.put(
    '/v1/identities/:identity_id/properties',
    {
      schema: {
        ...describeRoute('identities.properties.upsert', 'Set properties of an identity by key'),
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
    ['attach', attachIdentity, 'Attach an identity to an agent'],
    ['detach', detachIdentity, 'Detach an identity from an agent'],
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
