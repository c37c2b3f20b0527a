// The page behind the link of a held action, on the application host. It shows the approval to a signed-in person and takes their
// decision; to others it shows the sign-in. A GET decides nothing. Every visit passes the checks that each request of a session passes.
import { type Context, createContext, type Mode } from '../../base/context.ts'
import { Failure, forbidden, notFound } from '../../base/lib/failure.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { page } from '../../base/wire/page.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { approvalLink } from '../../govern/approvals/votes/rules.ts'
import { approvalDetailView } from '../../govern/approvals/views/detail.ts'
import { executionView } from '../../govern/executions/execution-view.ts'
import { openExecution } from '../../govern/executions/sealed/open-execution.ts'
import { visibleNow } from '../../govern/executions/sealed/visible.ts'
import { users } from '../../identity/accounts/user.ts'
import { findClient } from '../../identity/oauth/clients/client.ts'
import { formToken } from '../../identity/oauth/pages/forms.ts'
import {
  formKey,
  newCookie,
  type PageCookie,
  passwordPage,
  readCookie,
  setCookie,
} from '../../identity/pages/sign-in.ts'
import { approvalHtml } from './approval-html.ts'
import { choicesOf, type ShownApproval } from './shown.ts'
import { MODES } from '../../base/table/members.ts'
import { type Approval, approvals } from '../../govern/approvals/approval.ts'
import { mustBeAllowed } from '../../identity/access/allowlist.ts'
import { liveSession, noteUse, sessionPrincipal } from '../../identity/sessions/live-session.ts'

/** The approval that a page is about, and the browser that asks for it. */
export type Asked = { tenant_id: string; id: string; headers: Headers }

export type Browser = { tenant: Tenant; id: string; cookie: PageCookie; token: string; fresh: boolean }

/** Signed out, a cookie that is not used ends soon. */
const SIGN_IN_SECONDS = 3_600

/** Throws 404 for a tenant that does not exist or is not active. */
export async function browserOf(ctx: Context, { tenant_id, id, headers }: Asked): Promise<Browser> {
  const [tenant, given] = await Promise.all([tenantOf(ctx.table, tenant_id), readCookie(headers)])
  if (tenant.status !== 'active') throw notFound('approval')
  const cookie = given ?? newCookie(ctx.random)
  return { tenant, id, cookie, token: formToken(await formKey(), cookie.id), fresh: given === undefined }
}

export async function showApproval(ctx: Context, asked: Asked): Promise<HttpResponse> {
  const browser = await browserOf(ctx, asked)
  const visitor = await visitorOf(ctx, browser.cookie, browser)
  return visitor ? approvalPage(visitor, browser) : askToSignIn(ctx, browser)
}

/** `problem`: why the last attempt failed. */
export async function askToSignIn(
  ctx: Context,
  { tenant, id, cookie, token }: Browser,
  again: { problem?: string; email?: string; status?: number } = {},
): Promise<HttpResponse> {
  const headers = await setCookie({ id: cookie.id }, SIGN_IN_SECONDS, ctx.random)
  const { email = '', status = 200, problem } = again
  const asking = { tenant, form: { token, problem }, email, status, headers }
  return passwordPage(ctx, asking, approvalLink(tenant.id, id), cookie.id)
}

/** `ctx` is of the person. */
export async function approvalPage(
  ctx: Context,
  { id, token }: Browser,
  refused?: { problem: string; status: number },
): Promise<HttpResponse> {
  const approval = await approvalDetailView(ctx, id)
  const { principal } = ctx
  const isOpen = approval.status === 'pending'
  const choices = isOpen && principal.permissions.has('approvals:decide') ? await choicesOf(ctx, id) : undefined
  const content = approvalHtml(
    { token, problem: refused?.problem },
    {
      approval,
      description: approval.action_description,
      changed: approval.changed_since,
      repeats: approval.repeats ?? [],
      payload: approval.payload,
      outcome: isOpen ? undefined : await outcomeOf(ctx, approval),
      moot: approval.moot,
      raised: approval.raised,
      person: principal.email ?? principal.id,
      names: await namesOf(ctx, approval, [
        ...(choices?.others ?? []),
        ...(approval.raised?.by ?? []),
        ...(approval.repeats ?? []).flatMap(({ decided_by: by }) => (by?.type === 'user' ? by.id : [])),
      ]),
      choices,
      now: ctx.now(),
    },
  )
  return page(titleOf(approval), content, { status: refused?.status ?? 200 })
}

const titleOf = ({ status }: ShownApproval) => (status === 'pending' ? 'Approve this action?' : 'Approval')

/** The names of people who voted, who asked and for whom somebody votes, and of the application that asked for them. */
async function namesOf(
  ctx: Context,
  { votes, requested_by, client_id, decided_by }: ShownApproval,
  others: readonly string[] = [],
): Promise<Map<string, string>> {
  const actors = [...votes.map(({ by }) => by), requested_by, ...(decided_by ? [decided_by] : [])]
  const people = actors.filter(({ type }) => type === 'user').map(({ id }) => id)
  const behind = votes.flatMap(({ on_behalf_of, raised_by = [] }) => [on_behalf_of ?? [], raised_by].flat())
  const [names, client] = await Promise.all([
    namesFor(ctx, [...people, ...behind, ...others]),
    client_id === undefined ? undefined : findClient(ctx.table, client_id),
  ])
  return client ? names.set(client.client_id, client.name) : names
}

/** E-mail addresses, or names, of people by their ids. */
export async function namesFor({ table, space: { tenant_id } }: Context, ids: readonly string[]) {
  const people = await table.getAll(
    users,
    [...new Set(ids)].map((id) => ({ tenant_id, id })),
  )
  return new Map(people.map(({ id, email, name }) => [id, email ?? name]))
}

async function outcomeOf(ctx: Context, { request_id }: ShownApproval) {
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, request_id))
  const { status, result } = executionView(execution, opened)
  return { status, message: result.message, output: opened.output }
}

/** Back to the page, so that reloading it repeats nothing. */
export const seeAgain = ({ tenant, id }: Browser, headers: Record<string, string> = {}): HttpResponse =>
  new HttpResponse(303, '', { headers: { ...headers, Location: approvalLink(tenant.id, id) }, unchanged: true })

/** The text for a person whose request was refused. Server errors are thrown on. */
export function problemOf(error: unknown): { problem: string; status: number } {
  if (!(error instanceof Failure) || error.status >= 500) throw error
  const { detail, status } = error
  const text = typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join(' ')
  return { problem: text, status }
}

/**
 * The context of the person whose session the cookie names, in the mode of the approval; undefined when nobody of this tenant is signed
 * in. Throws 403, 404.
 */
export async function visitorOf(
  ctx: Context,
  { session }: PageCookie,
  { tenant, id }: { tenant: Tenant; id: string },
): Promise<Context | undefined> {
  if (session?.tenant_id !== tenant.id) return undefined
  const found = await liveSession(ctx.table, session)
  if (!found) return undefined
  const principal = sessionPrincipal(found)
  const inMode = (mode: Mode) =>
    createContext({ space: { tenant_id: tenant.id, mode }, principal, table: ctx.table, request: ctx.request })
  mustBeAllowed(tenant, ctx.request.ip)
  if (principal.enrol_only) throw forbidden('Your session has no second factor. Enrol one first.')
  if (!principal.permissions.has('approvals:read'))
    throw forbidden('You need the permission approvals:read. Ask an administrator of your tenant.')
  await noteUse(inMode('live'), found.session)
  const { mode } = await approvalOf(ctx, tenant.id, id)
  return inMode(mode)
}

/** The address says nothing about the mode, so both are looked at, in one read. */
async function approvalOf({ table }: Context, tenant_id: string, id: string): Promise<Approval> {
  const [approval] = await table.getAll(
    approvals,
    MODES.map((mode) => ({ tenant_id, mode, id })),
  )
  if (!approval) throw notFound('approval')
  return approval
}
