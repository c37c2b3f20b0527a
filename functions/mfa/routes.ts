import { area, del, post, put, read } from '../../shared/base/wire/route.ts'

/** Operations on the caller's own factors, also open to sessions that may only enrol. */
const own = { host: 'api', access: 'self', rate: 'global', whileEnrolling: true, whileUnverified: true } as const
const factor = { resource: 'factor' } as const

export const mfa = area('mfa', {
  get: read('/api/v1/auth/mfa', {
    access: 'self',
    whileEnrolling: true,
    summary: "Shows the caller's second factors and the policy of the tenant.",
  }),
  beginTotp: post('/api/v1/auth/mfa/totp', {
    ...own,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    success: 201,
    evidence: { none: 'the app becomes a factor only when it is confirmed' },
    summary: 'Begins to add an authenticator app. Its secret is shown here and never again.',
  }),
  confirmTotp: post('/api/v1/auth/mfa/totp/confirm', {
    ...own,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'identity.mfa.enabled',
    emits: ['user.mfa.enabled', 'alert.firing'],
    summary: 'Adds the app with a code that it shows. With the first factor come recovery codes, shown here only.',
  }),
  passkeyOptions: post('/api/v1/auth/mfa/webauthn/options', {
    ...own,
    uses: [{ table: 'write' }, { passkeys: true }],
    evidence: { none: 'a challenge changes nothing' },
    summary: 'Gives a browser what it needs to make a passkey (`register`) or to use one (`verify`).',
  }),
  addPasskey: post('/api/v1/auth/mfa/webauthn', {
    ...own,
    uses: [{ table: 'write' }, { seal: 'payload' }, { passkeys: true }],
    success: 201,
    evidence: 'identity.mfa.enabled',
    emits: ['user.mfa.enabled'],
    summary: 'Adds a passkey or security key. With the first factor come recovery codes, shown here only.',
  }),
  createRecoveryCodes: post('/api/v1/auth/mfa/recovery-codes', {
    ...own,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    success: 201,
    evidence: 'identity.mfa.recovery_codes_created',
    summary: 'Makes ten recovery codes, shown here only. Those from before end.',
  }),
  removeFactor: del('/api/v1/auth/mfa/{factor_id}', {
    ...own,
    ...factor,
    uses: [{ table: 'write' }],
    success: 204,
    evidence: 'identity.mfa.disabled',
    summary: "Removes one of the caller's factors.",
  }),
  verify: post('/api/v1/auth/mfa/verify', {
    host: 'api',
    access: 'public',
    session: 'optional',
    rate: 'auth',
    uses: [{ table: 'write' }, { seal: 'payload' }, { secret: true }, { passkeys: true }],
    evidence: ['identity.session.started', 'identity.mfa.verified'],
    emits: ['user.login', 'alert.firing'],
    summary: 'Shows a second factor: with `mfa_token` to finish a sign-in, with a session to confirm who holds it.',
  }),
  reset: del('/api/v1/users/{id}/mfa', {
    host: 'api',
    access: 'users:write',
    rate: 'global',
    resource: 'user',
    uses: [{ table: 'write' }],
    success: 204,
    evidence: 'identity.mfa.disabled',
    inPerson: true,
    summary: 'Removes all second factors of a person who lost them, and ends their sessions.',
  }),
  getPolicy: read('/api/v1/tenants/{tenant_id}/mfa-policy', {
    access: 'tenant:read',
    summary: 'Shows who must have a second factor, and when it is asked for.',
  }),
  changePolicy: put('/api/v1/tenants/{tenant_id}/mfa-policy', {
    host: 'api',
    access: 'tenant:security',
    rate: 'global',
    inPerson: true,
    uses: [{ table: 'write' }],
    evidence: 'identity.mfa_policy.updated',
    summary:
      'Sets who must have a second factor, and when it is asked for. A missing member gets its default. Only for owners.',
  }),
})
