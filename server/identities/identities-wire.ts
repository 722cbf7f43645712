import { z } from 'zod';
import { type Identity, identityTypes } from '../../core/identities/identities.js';
import type { IdentityPatch, NewIdentity } from '../../schema/identities/identities.js';
import { definedFields } from '../http/defined-fields.js';
import { freeObject } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';

const property = z.object({
  key: z.string().min(1),
  value: z.union([z.string(), z.number(), z.boolean(), freeObject]),
  type: z.enum(['string', 'number', 'boolean', 'json']),
});

export const propertiesBody = z.array(property);

/** A new identity, or a change of the one with this key. */
export const createIdentityBody = z
  .object({
    identifier_key: z.string().min(1),
    name: z.string().min(1),
    identity_type: z.enum(identityTypes),
    project_id: z.string().nullish(),
    agent_ids: z.array(idOf('agent')).nullish(),
    block_ids: z.array(idOf('block')).nullish(),
    properties: propertiesBody.nullish(),
  })
  .meta({ id: 'IdentityCreate' });

/** Changes of an identity; absent and null fields stay as they are. */
export const updateIdentityBody = z
  .object({
    identifier_key: z.string().min(1).nullish(),
    name: z.string().min(1).nullish(),
    identity_type: z.enum(identityTypes).nullish(),
    agent_ids: z.array(idOf('agent')).nullish(),
    block_ids: z.array(idOf('block')).nullish(),
    properties: propertiesBody.nullish(),
  })
  .meta({ id: 'IdentityUpdate' });

/** An identity as the API shows it. */
export const wireIdentity = z
  .object({
    id: z.string(),
    identifier_key: z.string(),
    name: z.string(),
    identity_type: z.enum(identityTypes),
    project_id: z.string().nullable(),
    agent_ids: z.array(z.string()),
    block_ids: z.array(z.string()),
    organization_id: z.string().nullable(),
    properties: propertiesBody,
  })
  .meta({ id: 'Identity' });

export function toWireIdentity(identity: Identity): z.infer<typeof wireIdentity> {
  return {
    id: identity.id,
    identifier_key: identity.identifierKey,
    name: identity.name,
    identity_type: identity.type,
    project_id: identity.projectId,
    agent_ids: [...identity.agentIds],
    block_ids: [...identity.blockIds],
    organization_id: null,
    properties: identity.properties.map(({ value, ...rest }) => ({
      ...rest,
      value: typeof value === 'object' ? { ...value } : value,
    })),
  };
}

export function fromCreateIdentity(body: z.infer<typeof createIdentityBody>): NewIdentity {
  return {
    identifierKey: body.identifier_key,
    name: body.name,
    type: body.identity_type,
    projectId: body.project_id,
    properties: body.properties ?? undefined,
    agentIds: body.agent_ids ?? undefined,
    blockIds: body.block_ids ?? undefined,
  };
}

export function fromUpdateIdentity(body: z.infer<typeof updateIdentityBody>): IdentityPatch {
  return definedFields({
    identifierKey: body.identifier_key ?? undefined,
    name: body.name ?? undefined,
    type: body.identity_type ?? undefined,
    properties: body.properties ?? undefined,
    agentIds: body.agent_ids ?? undefined,
    blockIds: body.block_ids ?? undefined,
  });
}
