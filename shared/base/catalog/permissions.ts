// Who may do what, as one table. Route access, the authorise layer, OpenAPI and the tests are derived from it.

/** The eight built-in roles by the letter used in the table. */
export const ROLES = {
  O: 'owner',
  A: 'admin',
  P: 'approver',
  D: 'developer',
  R: 'operator',
  M: 'member',
  U: 'auditor',
  B: 'billing',
} as const

export type RoleName = (typeof ROLES)[keyof typeof ROLES]

/** The scopes of API keys, as the API specification names them. */
export const SCOPES = [
  'diagnostic:read',
  'diagnostic:write',
  'governance:read',
  'governance:write',
  'evidence:read',
  'evidence:write',
  'agent:execute',
  'scim',
  'admin',
] as const

export type Scope = (typeof SCOPES)[number]

type Row = { scope: Scope | null; roles: string }
const row = (scope: Scope | null, roles: string): Row => ({ scope, roles })

/** permission → the scope that carries it (null: never a key) and the letters of the roles that hold it. */
export const PERMISSIONS = {
  self: row(null, 'OAPDRMUB'),
  'protocol:read': row('governance:read', 'OAPDRMU'),
  'protocol:write': row('governance:write', 'OAD'),
  'protocol:execute': row('agent:execute', 'OADM'),
  'executions:read': row('governance:read', 'OAPDRMU'),
  'executions:undo': row('agent:execute', 'OAPDM'),
  'approvals:read': row('governance:read', 'OAPDRMU'),
  'approvals:decide': row('governance:write', 'OAP'),
  'policies:read': row('governance:read', 'OAPDU'),
  'policies:write': row('admin', 'OA'),
  'freezes:set': row('governance:write', 'OAPR'),
  'freezes:lift': row(null, 'OA'),
  'evidence:read': row('evidence:read', 'OAPDU'),
  'evidence:write': row('evidence:write', 'OADU'),
  'audit:read': row('evidence:read', 'OAU'),
  'compliance:read': row('evidence:read', 'OAPU'),
  'compliance:write': row('governance:write', 'OAU'),
  'exports:evidence': row('evidence:read', 'OAU'),
  'exports:usage': row('diagnostic:read', 'OAUB'),
  'training:read': row('diagnostic:read', 'OADRU'),
  'training:write': row('agent:execute', 'OAD'),
  'training:feedback': row('agent:execute', 'OADP'),
  'training:deploy': row('agent:execute', 'OAD'),
  'work:read': row('governance:read', 'OAPDRMU'),
  'work:write': row('governance:write', 'OAPDRM'),
  'workers:write': row('governance:write', 'OADR'),
  'integrations:read': row('diagnostic:read', 'OADRU'),
  'integrations:connect': row('admin', 'OA'),
  'integrations:sync': row('agent:execute', 'OADR'),
  'metrics:read': row('diagnostic:read', 'OAPDRMU'),
  'metrics:write': row('diagnostic:write', 'OAR'),
  'learning:read': row('diagnostic:read', 'OADRU'),
  'learning:run': row('diagnostic:write', 'OADR'),
  'routing:propose': row('governance:write', 'OAD'),
  'routing:apply': row('governance:write', 'OAP'),
  'ops:read': row('diagnostic:read', 'OAPDRMU'),
  'ops:write': row('diagnostic:write', 'OAR'),
  'health:read': row('diagnostic:read', 'OADRU'),
  'webhooks:read': row('diagnostic:read', 'OADRU'),
  'webhooks:write': row('admin', 'OAD'),
  'webhooks:replay': row('diagnostic:write', 'OADR'),
  'billing:read': row('admin', 'OAB'),
  'billing:plans': row('diagnostic:read', 'OAPDRMUB'),
  'billing:write': row('admin', 'OB'),
  'tenant:read': row('admin', 'OAU'),
  'tenant:security': row('admin', 'OA'),
  'tenant:kms': row('admin', 'O'),
  'tenant:delete': row(null, 'O'),
  'users:read': row('admin', 'OAU'),
  'users:write': row('admin', 'OA'),
  'roles:write': row('admin', 'OA'),
  'apikeys:read': row('admin', 'OADU'),
  'apikeys:write': row(null, 'OAD'),
  'oauth_clients:write': row('admin', 'OAD'),
  'scim:write': row('scim', ''),
} as const satisfies Record<string, Row>

export type Permission = keyof typeof PERMISSIONS

/** Permissions for resources that a tenant has once, not once per mode. Test credentials cannot use them. */
export const TENANT_LEVEL: ReadonlySet<Permission> = new Set([
  'billing:read',
  'billing:write',
  'tenant:read',
  'tenant:security',
  'tenant:kms',
  'tenant:delete',
  'users:read',
  'users:write',
  'roles:write',
  'apikeys:read',
  'apikeys:write',
  'oauth_clients:write',
])

/**
 * A holder of one of these decides on actions, says what needs a decision, or says who may come in and what they may do. So they are
 * given to a person only by a person in a session (decision 0173). Rights that only end something, keep others out or hide data
 * (`tenant:delete`, `tenant:kms`, `freezes:set`) are none of them: nobody decides by these.
 */
export const PRIVILEGED: ReadonlySet<Permission> = new Set([
  'approvals:decide',
  'routing:apply', // approves changes of decisions by models
  'policies:write',
  'freezes:lift',
  'tenant:security', // single sign-on, roles of groups, four eyes
  'users:write', // addresses, factors, invitations
  'roles:write',
  'apikeys:write', // a key acts as its maker
  'oauth_clients:write', // a client acts as those who allowed it
  'scim:write',
])

/** Scope `admin` covers every permission that has a scope at all. */
const covers = (scope: Scope, permission: Permission) => {
  const needed = PERMISSIONS[permission].scope
  return needed !== null && (needed === scope || scope === 'admin')
}

const ALL = Object.keys(PERMISSIONS) as Permission[]

/** The permissions that the scopes of a key give, before they are limited to those of its creator. */
export const permissionsOfScopes = (scopes: readonly Scope[]): Set<Permission> =>
  new Set(ALL.filter((permission) => scopes.some((scope) => covers(scope, permission))))

/**
 * Permissions that no role holds: those of a directory that provisions accounts. Keys get them by their scope, which only
 * owners and administrators can give, since they may change accounts by hand as well.
 */
export const KEY_ONLY: ReadonlySet<Permission> = new Set(
  ALL.filter((permission) => PERMISSIONS[permission].roles === ''),
)

/** The union of the permissions of built-in roles. */
export const permissionsOfRoles = (roles: readonly string[]): Set<Permission> =>
  new Set(
    ALL.filter((permission) =>
      [...PERMISSIONS[permission].roles].some((letter) => roles.includes(ROLES[letter as keyof typeof ROLES])),
    ),
  )
