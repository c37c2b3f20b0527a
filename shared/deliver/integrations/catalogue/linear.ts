import { count, excerpt, operation, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const ISSUES =
  'query Issues($first: Int, $after: String) { issues(first: $first, after: $after) ' +
  '{ nodes { id identifier title state { name } updatedAt } pageInfo { endCursor hasNextPage } } }'
const ISSUE = 'query Issue($id: String!) { issue(id: $id) { id identifier title description state { name } } }'
const TEAMS = 'query Teams { teams { nodes { id key name } } }'
const CREATE =
  'mutation CreateIssue($teamId: String!, $title: String!, $description: String, $priority: Int) { issueCreate(input: ' +
  '{ teamId: $teamId, title: $title, description: $description, priority: $priority }) { success issue { id identifier } } }'
const UPDATE =
  'mutation UpdateIssue($id: String!, $title: String, $description: String, $stateId: String) { issueUpdate(id: $id, ' +
  'input: { title: $title, description: $description, stateId: $stateId }) { success } }'
const COMMENT =
  'mutation CreateComment($issueId: String!, $body: String!) { commentCreate(input: { issueId: $issueId, body: $body }) ' +
  '{ success comment { id } } }'

const PATH = '/graphql'
const to = (document: string) => ({ document, path: PATH })

export const linear: Provider = {
  id: 'linear',
  name: 'Linear',
  category: 'issues',
  description: 'Issues of a Linear workspace.',
  oauth: {
    authorization_url: 'https://linear.app/oauth/authorize',
    token_url: 'https://api.linear.app/oauth/token',
    scope_separator: ',',
    pkce: false,
    authorize_params: { prompt: 'consent' },
  },
  base_url: 'https://api.linear.app',
  scopes_required: ['read', 'issues:create', 'comments:create'],
  error_when: { member: 'errors', is: 'list' },
  models: [
    {
      name: 'issues',
      list: `POST ${PATH}`,
      body: { query: ISSUES, variables: { first: 100 } },
      items: 'data.issues.nodes',
      id: 'id',
      paging: { by: 'cursor', from: 'data.issues.pageInfo.endCursor', to: 'variables.after' },
    },
  ],
  document: excerpt('Linear', {
    issues: [
      operation('POST /graphql/issues', 'list_issues', 'Lists issues.', {
        body: { first: count(250), after: text() },
        graphql: to(ISSUES),
      }),
      operation('POST /graphql/issue', 'get_issue', 'Reads an issue.', {
        body: { id: text() },
        required: ['id'],
        graphql: to(ISSUE),
      }),
      operation('POST /graphql/issue-create', 'create_issue', 'Creates an issue.', {
        body: { teamId: text(), title: text(), description: text(), priority: count(4) },
        required: ['teamId', 'title'],
        graphql: to(CREATE),
      }),
      operation('POST /graphql/issue-update', 'update_issue', 'Changes an issue, or moves it to another state.', {
        body: { id: text(), title: text(), description: text(), stateId: text() },
        required: ['id'],
        graphql: to(UPDATE),
      }),
      operation('POST /graphql/comment-create', 'create_comment', 'Comments on an issue.', {
        body: { issueId: text(), body: text() },
        required: ['issueId', 'body'],
        graphql: to(COMMENT),
      }),
    ],
    teams: [operation('POST /graphql/teams', 'list_teams', 'Lists teams.', { body: {}, graphql: to(TEAMS) })],
  }),
}
