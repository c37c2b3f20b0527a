// Adds and removes rules of a tenant's IP allowlist. The rule and the list of networks in the tenant change in one
// transaction.
import { changed, type Change } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid, notFound } from '../../base/lib/failure.ts'
import { mustHaveFeature } from '../../base/tenant/retention.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { type Tenant, tenants } from '../../base/tenant/tenant.ts'
import { cidrText, isAllowed, readCidr } from './allowlist.ts'
import { type AllowlistRule, allowlistRules, RULES_MAX } from './allowlist-rule.ts'
import { mustBeInPerson } from './assurance.ts'

export type NewRule = { cidr: string; description?: string | undefined; confirm?: boolean | undefined }

/**
 * Adds a network, in force within 30 seconds, for which containers cache the tenant. Throws 422 for an invalid network, 409 for a listed one
 * and for a list that locks the caller out, unless the caller confirms that. Another rule beside existing ones lets more callers
 * in, so it takes a person with a recent factor; the first rule does not. Of two concurrent changes one gets 409.
 */
export async function addRule(ctx: Context, { cidr: text, description, confirm }: NewRule): Promise<AllowlistRule> {
  const network = readCidr(text)
  if (!network)
    throw invalid(
      ['cidr'],
      'This is not an IP address or a network in CIDR form without host bits. Write it like 203.0.113.0/24.',
    )
  const tenant = await freshTenant(ctx.table, ctx.space.tenant_id)
  mustHaveFeature(tenant, 'ip_allowlist')
  const cidr = cidrText(network)
  const { ip_allowlist: listed } = tenant
  if (listed.includes(cidr))
    throw conflict(`The allowlist already has ${cidr}. Use that rule.`, { code: 'already_exists' })
  if (listed.length >= RULES_MAX)
    throw conflict(`The allowlist has ${RULES_MAX} rules and can have no more. Remove one first.`)
  if (listed.length > 0) mustBeInPerson(ctx, tenant) // lets more callers in; the first rule keeps callers out
  mustKeepAccess(ctx, [...listed, cidr], confirm ? undefined : 'confirm: true')
  const rule: AllowlistRule = {
    tenant_id: tenant.id,
    id: ctx.id('ipr'),
    cidr,
    description,
    created_by: ctx.principal.id,
    created_at: iso(ctx.now()),
  }
  const write = [allowlistRules.insert(rule), withNetworks(tenant, [...listed, cidr])]
  await ctx.table.commit([...write, ...changed(ctx, [ruleChange(rule, 'created')])], rule.id)
  forgetTenant(tenant.id)
  return rule
}

/**
 * Removes a rule. Without rules, requests from all addresses are accepted, so the last one takes a person with a recent factor.
 * Throws 404 for a missing rule, also when a concurrent request has removed it, and 409 for a list that locks the caller out.
 */
export async function removeRule(ctx: Context, { id, confirm }: { id: string; confirm: boolean }): Promise<void> {
  const { tenant_id } = ctx.space
  const [rule, tenant] = await Promise.all([
    ctx.table.get(allowlistRules, { tenant_id, id }),
    freshTenant(ctx.table, tenant_id),
  ])
  if (!rule) throw notFound('allowlist rule')
  const left = tenant.ip_allowlist.filter((cidr) => cidr !== rule.cidr)
  if (left.length === 0) mustBeInPerson(ctx, tenant) // lets everybody in
  mustKeepAccess(ctx, left, confirm ? undefined : '?confirm=true')
  const exists = { expression: 'attribute_exists(pk)' }
  const write = [
    allowlistRules.remove({ tenant_id, id }, exists, notFound('allowlist rule')),
    withNetworks(tenant, left),
  ]
  await ctx.table.commit([...write, ...changed(ctx, [ruleChange(rule, 'deleted')])])
  forgetTenant(tenant_id)
}

/** Nobody locks themselves out by mistake. `override` is how to confirm the change; undefined when it is confirmed. */
function mustKeepAccess({ request }: Context, cidrs: readonly string[], override: string | undefined): void {
  if (override === undefined || isAllowed(cidrs, request.ip)) return
  throw conflict(`This change would lock out your own address. Repeat the request with ${override} if you mean it.`)
}

const withNetworks = (tenant: Tenant & { _v: number }, ip_allowlist: string[]) => {
  const { _v, ...rest } = tenant
  return tenants.replace(
    { ...rest, ip_allowlist },
    { _v },
    conflict('The tenant was changed by another request. Try again.'),
  )
}

const ruleChange = ({ id, cidr }: AllowlistRule, verb: 'created' | 'deleted'): Change => ({
  action: `allowlist_rule.${verb}`,
  artifact: `identity.allowlist_rule.${verb}`,
  subject: { type: 'allowlist_rule', id, name: cidr },
  data: { cidr },
  changes: [{ path: 'ip_allowlist', ...(verb === 'created' ? { after: cidr } : { before: cidr }) }],
})
