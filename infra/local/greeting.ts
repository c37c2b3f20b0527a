// The text that `npm start` prints after the start.
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
    `  Mails         ${directory}/mail, one file each`,
    ...(speed === 1 ? [] : [`  Speed         webhook retries wait 1/${speed} of their time`]),
    '',
    ...(first ? keys(credentials) : []),
    'The main job in five lines:',
    '',
    ...example(api_url, directory),
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

const ACTION = '{"node_id":"demo.notification.email","action_id":"send","payload":{"to":"ada@example.com"}}'
const JSON_TYPE = "-H 'Content-Type: application/json'"

/**
 * The main use case as shell commands: an action is held, a person signs in and approves it, it runs, and the evidence is verified.
 */
const example = (apiUrl: string, directory: string): string[] => [
  `  API=${apiUrl}; KEY="X-API-Key: $(sed -n 's/.*"live_key": "\\(.*\\)".*/\\1/p' '${directory}/credentials.json')"`,
  `  ID=$(curl -s $API/api/v1/protocol/execute -H "$KEY" ${JSON_TYPE} -d '${ACTION}' | grep -o 'apr_[0-9A-Z]*')`,
  `  TOKEN=$(sed -n '/"approver": {/,/}/{s/.*{/{/;s/},/}/;p;}' '${directory}/credentials.json' | curl -s $API/api/v1/auth/login ${JSON_TYPE} -d @- | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
  `  curl -s $API/api/v1/work/approvals/$ID/approve -H "Authorization: Bearer $TOKEN" ${JSON_TYPE} -d '{"reason":"checked"}'`,
  `  curl -s $API/api/evidence/verify -H "$KEY"`,
]
