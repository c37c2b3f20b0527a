// What a developer reads when the service has started.
import type { Credentials } from './first-start.ts'

export type Greeting = { credentials: Credentials; first: boolean; directory: string; speed: number; startedMs: number }

export function greeting({ credentials, first, directory, speed, startedMs }: Greeting): string {
  const { api_url, app_url } = credentials
  const lines = [
    `Countersign runs (started in ${startedMs} ms)`,
    '',
    `  API           ${api_url}`,
    `  Application   ${app_url}`,
    `  Data          ${directory}, credentials in credentials.json`,
    ...(speed === 1 ? [] : [`  Speed         webhook retries wait 1/${speed} of their time`]),
    '',
    ...(first ? keys(credentials) : []),
    'Run an action:',
    '',
    ...example(api_url, first ? credentials.live_key : undefined, directory),
    '',
    'Ctrl-C stops it; the data stays.',
    '',
  ]
  return lines.join('\n')
}

const keys = ({ live_key, test_key, approver_key, owner, approver }: Credentials): string[] => [
  'Shown once:',
  '',
  `  Live key      ${live_key}`,
  `  Sandbox key   ${test_key}`,
  `  Approver key  ${approver_key}`,
  `  Owner         ${person(owner)}`,
  `  Approver      ${person(approver)}`,
  '',
]

const person = ({ email, password }: Credentials['owner']) => (password ? `${email}  ${password}` : email)

const BODY = '{"node_id":"demo.notification.email","action_id":"send","payload":{"to":"ada@example.com"}}'

/** On later starts the key is not shown again but read from its file. */
const example = (apiUrl: string, key: string | undefined, directory: string): string[] => [
  `  curl -s ${apiUrl}/api/v1/protocol/execute \\`,
  `    -H "X-API-Key: ${key ?? `$(sed -n 's/.*"live_key": "\\(.*\\)".*/\\1/p' '${directory}/credentials.json')`}" \\`,
  `    -H 'Content-Type: application/json' \\`,
  `    -d '${BODY}'`,
]
