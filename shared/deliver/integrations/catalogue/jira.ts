import { count, excerpt, free, operation, shape, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const ISSUE = '/rest/api/3/issue'

export const jira: Provider = {
  id: 'jira',
  name: 'Jira',
  category: 'issues',
  description: 'Issues and projects of a Jira site.',
  oauth: {
    authorization_url: 'https://auth.atlassian.com/authorize',
    token_url: 'https://auth.atlassian.com/oauth/token',
    authorize_params: { audience: 'api.atlassian.com', prompt: 'consent' },
  },
  base_url: 'https://api.atlassian.com/ex/jira/{cloud_id}',
  sites: { url: 'https://api.atlassian.com/oauth/token/accessible-resources', param: 'cloud_id' },
  params: [
    {
      name: 'site',
      pattern: /^[a-z0-9][a-z0-9-]{0,62}(?:\.atlassian\.net)?$/,
      description: 'Name of the site, when the account has several',
    },
  ],
  scopes_required: ['read:jira-work', 'write:jira-work', 'offline_access'],
  models: [
    {
      name: 'issues',
      list: 'GET /rest/api/3/search/jql',
      query: { jql: 'created is not EMPTY ORDER BY created', fields: 'summary,status,assignee,updated' },
      items: 'issues',
      id: 'id',
      size: 'maxResults',
      paging: { by: 'cursor', from: 'nextPageToken', to: 'nextPageToken' },
    },
  ],
  document: excerpt('Jira', {
    issues: [
      operation('GET /rest/api/3/search/jql', 'search_issues', 'Searches issues.', {
        query: { jql: text(), fields: text(), maxResults: count(5_000), nextPageToken: text() },
      }),
      operation(`GET ${ISSUE}/{issueIdOrKey}`, 'get_issue', 'Reads an issue.'),
      operation(`POST ${ISSUE}`, 'create_issue', 'Creates an issue.', {
        body: { fields: shape({ project: free, issuetype: free, summary: text(), description: free }) },
        required: ['fields'],
      }),
      operation(`PUT ${ISSUE}/{issueIdOrKey}`, 'update_issue', 'Changes an issue.', {
        body: { fields: free },
        required: ['fields'],
      }),
      operation(`DELETE ${ISSUE}/{issueIdOrKey}`, 'delete_issue', 'Deletes an issue.'),
      operation(`POST ${ISSUE}/{issueIdOrKey}/comment`, 'add_comment', 'Comments on an issue.', {
        body: { body: free },
        required: ['body'],
      }),
      operation(`POST ${ISSUE}/{issueIdOrKey}/transitions`, 'transition_issue', 'Moves an issue to another status.', {
        body: { transition: shape({ id: text() }, ['id']) },
        required: ['transition'],
      }),
    ],
    projects: [
      operation('GET /rest/api/3/project/search', 'list_projects', 'Lists projects.', {
        query: { query: text(), startAt: count(), maxResults: count(100) },
      }),
    ],
  }),
}
