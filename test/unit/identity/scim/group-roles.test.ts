import { beforeEach, describe, expect, test } from 'vitest'
import { ChangedMeanwhile } from '../../../../shared/base/kernel/retry.ts'
import { tenants } from '../../../../shared/base/tenant/tenant.ts'
import { type GroupMapping, mappingWrite } from '../../../../shared/identity/scim/groups/group-mapping.ts'
import { roleMapping } from '../../../../shared/identity/scim/groups/group-roles.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

const staff: GroupMapping = [{ group: 'Staff', role: 'auditor' }]
const map = async (group_roles: GroupMapping) =>
  service.ctx.table.commit([await mappingWrite(service.ctx, group_roles, new ChangedMeanwhile())])

describe('a commit that relies on the roles of groups', () => {
  test.each([[[]], [staff]])('happens while something else of the tenant changes: %j', async (before) => {
    const { table, space } = service.ctx
    if (before.length > 0) await map(before)
    const { mapping, guard } = await roleMapping(service.ctx)
    const tenant = await table.get(tenants, { id: space.tenant_id })
    if (!tenant) throw new Error('there is no tenant')
    await table.commit([tenants.replace({ ...tenant, name: 'Acme Again' }, tenant)])

    await table.commit(guard)
    expect(mapping).toEqual(before)
  })

  test.each([[[]], [staff]])('fails when the setting changes: %j', async (before) => {
    if (before.length > 0) await map(before)
    const { guard } = await roleMapping(service.ctx)
    await map([{ group: 'Staff', role: 'developer' }])

    await expect(service.ctx.table.commit(guard)).rejects.toThrow(ChangedMeanwhile)
  })
})
