// Descriptions of path and query parameters. A name means the same everywhere, unless `OF_OPERATION` has another text.

const EARLIEST = 'From this time on, ISO 8601.'
const LATEST = 'Up to this time, ISO 8601.'

const EVERYWHERE: Record<string, string> = {
  // filters and windows
  action: 'Only entries of this kind, as `resource.verb`.',
  action_id: 'Only of this action.',
  actor_id: 'Only actions of this person, key or client.',
  actor_type: 'Only actions of actors of this kind.',
  agent_id: 'Only requests of this agent.',
  assignee: '`me`: only those that the caller may still decide.',
  async: '`true`: always creates a file; the answer is 202.',
  created_by: 'Only resources that this person created.',
  email: 'The whole address.',
  end_at: LATEST,
  environment: 'Only of real data, or only of the sandbox.',
  event_id: 'Only deliveries of this event.',
  format: 'The form of the answer.',
  from: '`now`: no events before this request. The answer has the cursor to continue with.',
  full: '`true`: also starts a pass over the whole chain. The answer has its `job_id`, later answers its result.',
  ip: 'Only requests from this address.',
  kind: 'Only of this kind.',
  last_event_id: 'The id of the last event that you received. The stream continues after it.',
  limit: 'Rows per page. A larger value is lowered to the maximum.',
  order: 'Oldest first (`asc`) or newest first.',
  outcome: 'Only entries with this outcome.',
  priority: 'Only of this priority.',
  q: 'Only items that contain this text; case is ignored.',
  recover_id: 'Only deliveries of this recovery.',
  resource_id: 'Only entries about this resource.',
  resource_type: 'Only entries about resources of this kind.',
  request_id: 'Only of this execution.',
  severity: 'Only of this severity.',
  sort: '`risk`: the riskiest first, instead of the newest.',
  source: 'Only people who were added this way.',
  start_at: EARLIEST,
  source_id: 'Only what is about this thing.',
  status: 'Only those in this state.',
  type: 'Only of this type.',
  types: 'Only these types, comma-separated; `prefix.*` stands for all that begin so.',
  user_id: 'Only of this person.',
  window: 'The length of the time window up to now.',
  window_days: 'The number of days before now, if neither `start_at` nor `end_at` is given.',
  // switches
  confirm: '`true`: proceeds even if your own address would be locked out.',
  dry_run: '`true`: stores nothing. The answer shows the effect of the change.',
  enabled: 'Only enabled or only disabled ones.',
  service: '`true`: only credentials of the tenant; `false`: only credentials that end with their creator.',
  replay: 'With `dry_run`: how many past executions are evaluated again.',
  version: 'This version instead of the newest.',
  // SCIM (RFC 7644)
  attributes: 'Only these attributes, comma-separated (RFC 7644, section 3.9).',
  count: 'Resources of a page (RFC 7644, section 3.4.2.4).',
  excludedAttributes: 'All but these attributes, comma-separated (RFC 7644, section 3.9).',
  filter: 'A filter (RFC 7644, section 3.4.2.2).',
  startIndex: 'The first resource of the page, counted from 1 (RFC 7644, section 3.4.2.4).',
  // sign-in and OAuth
  code: 'The code that the provider hands out.',
  code_challenge: 'The challenge of PKCE (RFC 7636).',
  code_challenge_method: 'How the challenge was made (RFC 7636).',
  error: 'Why the provider refused.',
  id_token_hint: 'An ID token of the session that ends.',
  interaction: 'The OAuth sign-in that this one belongs to.',
  login_hint: 'The address of the person who signs in.',
  nonce: 'Returned unchanged in the ID token.',
  iss: 'The issuer of the answer (RFC 9207).',
  prompt: 'Whether the person is asked again (OpenID Connect Core, section 3.1.2.1).',
  post_logout_redirect_uri: 'Where to go afterwards, a registered address of the client.',
  redirect_uri: 'Where the answer goes, a registered address.',
  response_type: '`code`.',
  scope: 'The requested scopes, separated by spaces.',
  state: 'Returned unchanged with the answer.',
  tenant: 'The id of the tenant.',
  test: 'The ticket of a connection test.',
  token: 'The one-time token from the mail.',
  RelayState: 'The value that the provider returns.',
  SAMLRequest: 'A message of SAML 2.0.',
  SAMLResponse: 'A message of SAML 2.0.',
  SigAlg: 'How the message is signed.',
  Signature: 'The signature of the message.',
  // ids
  client_id: 'The id of the OAuth client.',
  export_id: 'The id of the export.',
  factor_id: 'The id of the second factor.',
  id: 'Its id.',
  node_id: 'The id of the node.',
  policy_id: 'The id of the policy.',
  role: 'The name of the role.',
  rule_id: 'The id of the rule.',
  task_id: 'The id of the task.',
  tenant_id: 'The id of the caller’s tenant; any other one is not found.',
  uid: 'The id of the running OAuth sign-in.',
}

const OF_OPERATION: Record<string, Record<string, string>> = {
  'approvals-list': { node_id: 'Only of this node.' },
  'evidence-latest': { type: 'Only of this type of artifact; `prefix.*` stands for all that begin so.' },
  'exports-approvals': exportOf('requested'),
  'exports-receipts': exportOf('made'),
  'keys-list': { kind: 'Only keys of real data, or only those of the sandbox.' },
  'protocol-get-manifest': { version: 'The manifest of this version instead of the newest.' },
  'protocol-get-execution': { request_id: 'The id of the execution.' },
  'protocol-list-executions': { node_id: 'Only of this node.' },
  'protocol-undo': { request_id: 'The id of the execution.' },
  'work-list-tasks': {
    assignee: '`me`, or the id of a user, worker or group. Without a `status`: what they still have to do.',
  },
  'users-list': { role: 'Only people who hold this role, also through a group.' },
  'webhooks-deliveries': { type: 'Only deliveries of this event type.' },
}

function exportOf(what: string): Record<string, string> {
  return {
    start_at: `Only what was ${what} from this time on, ISO 8601; default: \`window_days\` before now.`,
    end_at: `Only what was ${what} before this time, ISO 8601; default: now.`,
    format: '`json`, `ndjson` or `csv`.',
    export_id: 'Answers the state of this export instead of rows.',
  }
}

/** Empty for a name without a description, which a test reports. */
export const describeParameter = (operation: string, name: string): string =>
  OF_OPERATION[operation]?.[name] ?? EVERYWHERE[name] ?? ''
