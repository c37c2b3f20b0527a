// Tests a configuration without signing anybody in: checks the published metadata and the certificates, and gives a link for
// a complete test sign-in.
import { X509Certificate } from 'node:crypto'
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { mustHaveFeature } from '../../../base/tenant/retention.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { verifiedDomain } from '../../domains/domain.ts'
import { startUrl } from '../addresses.ts'
import { ProviderFailed } from '../browser.ts'
import { configurationOf, type SamlSettings, type SsoConfiguration } from '../settings/configuration.ts'
import { createTestTicket } from '../one-time-code.ts'

export const Finding = z.object({
  check: z.string().describe('The check that was made.'),
  outcome: z.enum(['ok', 'warning', 'error']).describe('Whether the part is in order.'),
  message: z.string().describe('A message for people.'),
})
export type Finding = z.output<typeof Finding>

export const TestReport = z.object({
  /** No finding is an error. */
  ok: z.boolean().describe('Whether every check passed.'),
  findings: z.array(Finding).describe('The result of each part of the verification.'),
  /** Valid for ten minutes in any browser. The sign-in ends with a report and never with a session. */
  start_url: z.string().describe('Open this address in a browser to test a sign-in.'),
})

/** The findings, and the address of a test sign-in, which is valid for ten minutes. Changes nothing else. */
export async function testConnection(ctx: Context): Promise<z.input<typeof TestReport>> {
  const { table, space } = ctx
  const [sso, tenant] = await Promise.all([configurationOf(table, space.tenant_id), tenantOf(table, space.tenant_id)])
  mustHaveFeature(tenant, 'sso')
  const about = sso.saml ? samlFindings(sso.saml, ctx.now()) : await oidcFindings(ctx, sso)
  const findings = [...about, ...(await domainFindings(ctx, sso)), ...returnFindings(sso)]
  const ticket = await createTestTicket(ctx)
  return {
    ok: findings.every(({ outcome }) => outcome !== 'error'),
    findings,
    start_url: startUrl(sso.protocol, { test: ticket }),
  }
}

const MONTH_MS = 30 * 86_400_000

const samlFindings = ({ certificates, slo_url }: SamlSettings, now: number): Finding[] => [
  ...certificates.map((pem): Finding => {
    const { validTo, fingerprint256 } = new X509Certificate(pem)
    const end = Date.parse(validTo)
    const message = `Certificate ${fingerprint256.slice(0, 23)}… is valid until ${validTo}.`
    return { check: 'certificate', outcome: end > now + MONTH_MS ? 'ok' : 'warning', message }
  }),
  slo_url === undefined
    ? {
        check: 'single_logout',
        outcome: 'warning',
        message: 'Without slo_url, signing out here leaves the provider signed in.',
      }
    : { check: 'single_logout', outcome: 'ok', message: 'Sign-outs are sent to the provider.' },
]

async function oidcFindings(ctx: Context, sso: SsoConfiguration): Promise<Finding[]> {
  const { providerOf } = await import('./provider.ts')
  try {
    const { jwks_uri, token_endpoint } = (await providerOf(ctx, sso)).serverMetadata()
    const complete = jwks_uri !== undefined && token_endpoint !== undefined
    return [
      complete
        ? { check: 'discovery', outcome: 'ok', message: 'The provider publishes its settings.' }
        : { check: 'discovery', outcome: 'error', message: 'The provider names no token endpoint or no keys.' },
    ]
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error
    return [{ check: 'discovery', outcome: 'error', message: error.message }]
  }
}

const domainFindings = ({ table }: Context, { tenant_id, domains }: SsoConfiguration): Promise<Finding[]> =>
  Promise.all(
    domains.map(async (domain): Promise<Finding> => {
      const status = await verifiedDomain(table, tenant_id, domain)
      if (status === 'verified') return { check: 'domain', outcome: 'ok', message: `${domain} is verified.` }
      const consequence = status === 'lapsed' ? 'new people get no account' : 'its people cannot sign in'
      return { check: 'domain', outcome: 'error', message: `${domain} is not verified any more: ${consequence}.` }
    }),
  )

const returnFindings = ({ login_redirect_uris: uris }: SsoConfiguration): Finding[] =>
  uris.length > 0
    ? []
    : [
        {
          check: 'login_redirect_uris',
          outcome: 'warning',
          message: 'People can sign in only inside an OAuth authorisation.',
        },
      ]
