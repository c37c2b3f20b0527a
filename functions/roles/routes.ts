import { area, del, post, put, read } from '../../shared/base/wire/route.ts'

const writes = {
  host: 'api',
  access: 'roles:write',
  inPerson: true,
  resource: 'role',
  rate: 'global',
  uses: [{ table: 'write' }],
} as const

export const roles = area('roles', {
  list: read('/api/v1/roles', {
    access: 'users:read',
    summary: 'Lists the roles: the built-in ones, then those of the tenant.',
  }),
  create: post('/api/v1/roles', {
    ...writes,
    evidence: 'identity.role.created',
    success: 201,
    summary: 'Makes a role. It can hold only permissions that the caller holds.',
  }),
  replace: put('/api/v1/roles/{role}', {
    ...writes,
    evidence: 'identity.role.updated',
    summary: 'Changes a role of the tenant, for everybody who has it. The caller must hold all that it holds.',
  }),
  delete: del('/api/v1/roles/{role}', {
    ...writes,
    evidence: 'identity.role.deleted',
    success: 204,
    summary: 'Deletes a role that nobody has.',
  }),
  permissions: read('/api/v1/permissions', {
    access: 'users:read',
    uses: [],
    summary: 'Lists every permission with its scope and the built-in roles that hold it.',
  }),
})
