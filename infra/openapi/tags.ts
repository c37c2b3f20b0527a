// Names and order of the areas in the reference: the main use case first, then setup.
import type { Route } from '../../shared/base/wire/route.ts'

const TAGS: Record<string, readonly [name: string, description: string]> = {
  protocol: ['Manifests and executions', 'Register the actions of nodes, and run them under governance.'],
  agent: ['Agent tasks', 'Run tasks of agents that have a command instead of a manifest.'],
  mcp: ['Model Context Protocol', 'Agents connect with one URL, and every registered action is a governed tool.'],
  approvals: ['Approvals', 'Held actions, and the decisions of people on them.'],
  work: ['Work', 'Tasks for people and agents, who takes them, and how soon they must be looked at and done.'],
  security: ['Policies and audit log', 'The rules of the tenant, and the log of changes and refusals.'],
  evidence: ['Evidence', 'The signed chain: read it, verify it, prove an entry, export it, erase personal data.'],
  compliance: [
    'Compliance',
    'Frameworks and their controls, how they stand, and evidence for them, kept in the same chain.',
  ],
  claims: ['Claims', 'What the service says of itself: figures, limits and inventory, computed from what it counts.'],
  exports: ['Exports', 'Receipts and decisions as files, and audit packs that can be verified offline.'],
  events: ['Events', 'All events in order: as pages, as a stream, and as webhooks.'],
  webhooks: ['Webhooks', 'Endpoints that receive events, their deliveries and secrets.'],
  integrations: [
    'Integrations',
    'Third-party APIs and those of the tenant: connect one, copy its lists, publish its operations as governed actions.',
  ],
  billing: ['Billing', 'Plans and what they include, paying for one, invoices, and what was used.'],
  metrics: ['Metrics', 'Figures of actions, approvals and deliveries, and targets for them.'],
  training: ['AI training', 'Datasets of what agents asked for and people decided, and what is trained from them.'],
  learning: [
    'Learning',
    'What past decisions suggest, and changes of how actions are routed, which people approve and apply.',
  ],
  keys: ['API keys', 'Credentials of programs: created by people, shown once, with scopes and an expiry.'],
  limits: ['Rate limit', 'The usage of the current windows.'],
  slos: ['SLOs', 'Objectives, their error budgets, and how fast those are used up.'],
  alerts: ['Alerts', 'Rules about metrics and events, and the alerts that they opened.'],
  incidents: ['Incidents', 'What went wrong, from its detection to its end, with a timeline.'],
  runbooks: ['Runbooks', 'Steps by which people bring an incident to its end.'],
  auth: ['Sign-in and sessions', 'Registration, passwords, tokens and the sessions of a person.'],
  mfa: ['Second factors', 'Authenticator apps, passkeys and recovery codes.'],
  users: ['People', 'The accounts of the tenant, their roles and state.'],
  roles: ['Roles', 'The built-in roles, and custom roles of the tenant.'],
  tenants: ['Tenants', 'The tenant, its settings and rules for everybody.'],
  allowlist: ['IP allowlist', 'The networks from which the tenant may be used.'],
  domains: ['Domains', 'Mail domains that the tenant has proved to control.'],
  sso: ['Single sign-on', 'Sign-in at the tenant’s own identity provider, by SAML 2.0 or OpenID Connect.'],
  scim: ['Directory (SCIM 2.0)', 'Accounts and groups, kept by the tenant’s own directory (RFC 7643, RFC 7644).'],
  oauth: ['OAuth 2 and OpenID Connect', 'The authorization server for third-party applications.'],
  clients: ['OAuth clients', 'The applications that may ask for tokens.'],
  kms: ['Customer-managed key', 'Encryption under a KMS key of the tenant.'],
  'security-events': ['Security events', 'Unusual sign-ins and uses of credentials.'],
  health: ['Health', 'The state of the service and its dependencies.'],
  docs: ['Reference', 'This document and its page.'],
}

/** Throws for an area without an entry above, so that the document never shows a folder name. */
export function describeTags(routes: readonly Route[]) {
  const areas = new Set(routes.map(({ area }) => area))
  for (const area of areas) if (!TAGS[area]) throw new Error(`the area ${area} has no name in ${import.meta.filename}`)
  return Object.entries(TAGS)
    .filter(([area]) => areas.has(area) || area === 'events') // webhooks always use the tag of events
    .map(([name, [title, description]]) => ({ name, 'x-displayName': title, description }))
}
