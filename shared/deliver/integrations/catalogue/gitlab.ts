import { choice, count, excerpt, operation, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { per_page: count(100), page: count() }

export const gitlab: Provider = {
  id: 'gitlab',
  name: 'GitLab',
  category: 'issues',
  description: 'Projects, issues and merge requests on GitLab.com.',
  oauth: {
    authorization_url: 'https://gitlab.com/oauth/authorize',
    token_url: 'https://gitlab.com/oauth/token',
    revoke_url: 'https://gitlab.com/oauth/revoke',
  },
  base_url: 'https://gitlab.com/api/v4',
  scopes_required: ['read_api'],
  scopes_optional: ['api'],
  models: [
    {
      name: 'projects',
      list: 'GET /projects',
      query: { membership: 'true' },
      items: '',
      id: 'id',
      size: 'per_page',
      since: 'updated_after',
      paging: { by: 'link' },
    },
    {
      name: 'issues',
      list: 'GET /issues',
      query: { scope: 'all' },
      items: '',
      id: 'id',
      size: 'per_page',
      since: 'updated_after',
      paging: { by: 'link' },
    },
  ],
  document: excerpt('GitLab', {
    projects: [
      operation('GET /projects', 'list_projects', 'Lists projects.', { query: { search: text(), ...page } }),
      operation('GET /projects/{id}', 'get_project', 'Reads a project.'),
      operation('GET /projects/{id}/pipelines', 'list_pipelines', 'Lists the pipelines of a project.', { query: page }),
    ],
    issues: [
      operation('GET /issues', 'list_issues', 'Lists issues.', {
        query: { state: choice('opened', 'closed', 'all'), labels: text(), ...page },
      }),
      operation('POST /projects/{id}/issues', 'create_issue', 'Creates an issue.', {
        body: { title: text(), description: text(), labels: text() },
        required: ['title'],
      }),
      operation('PUT /projects/{id}/issues/{issue_iid}', 'update_issue', 'Changes or closes an issue.', {
        body: { title: text(), description: text(), state_event: choice('close', 'reopen') },
      }),
      operation('DELETE /projects/{id}/issues/{issue_iid}', 'delete_issue', 'Deletes an issue.'),
    ],
    merge_requests: [
      operation('GET /projects/{id}/merge_requests', 'list_merge_requests', 'Lists the merge requests of a project.', {
        query: page,
      }),
      operation(
        'PUT /projects/{id}/merge_requests/{merge_request_iid}/merge',
        'merge_merge_request',
        'Merges a merge request.',
      ),
    ],
  }),
}
