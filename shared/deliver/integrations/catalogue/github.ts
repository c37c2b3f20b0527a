import { choice, count, excerpt, flag, list, operation, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { per_page: count(100), page: count() }
const state = choice('open', 'closed', 'all')

export const github: Provider = {
  id: 'github',
  name: 'GitHub',
  category: 'issues',
  description: 'Repositories, issues and pull requests on GitHub.',
  oauth: {
    authorization_url: 'https://github.com/login/oauth/authorize',
    token_url: 'https://github.com/login/oauth/access_token',
  },
  base_url: 'https://api.github.com',
  headers: { 'x-github-api-version': '2022-11-28' },
  scopes_required: ['repo', 'read:org'],
  models: [
    {
      name: 'repositories',
      list: 'GET /user/repos',
      items: '',
      id: 'id',
      size: 'per_page',
      since: 'since',
      paging: { by: 'link' },
    },
    {
      name: 'issues',
      list: 'GET /issues',
      query: { filter: 'all', state: 'all' },
      items: '',
      id: 'id',
      size: 'per_page',
      since: 'since',
      paging: { by: 'link' },
    },
  ],
  document: excerpt('GitHub', {
    repos: [
      operation('GET /user/repos', 'list_my_repos', 'Lists the repositories of the connected account.', {
        query: {
          visibility: choice('all', 'public', 'private'),
          sort: choice('created', 'updated', 'pushed'),
          ...page,
        },
      }),
      operation('GET /repos/{owner}/{repo}', 'get_repo', 'Reads a repository.'),
      operation('GET /repos/{owner}/{repo}/contents/{path}', 'get_repo_content', 'Reads a file of a repository.', {
        query: { ref: text() },
      }),
      operation('DELETE /repos/{owner}/{repo}', 'delete_repo', 'Deletes a repository.'),
    ],
    issues: [
      operation('GET /issues', 'list_my_issues', 'Lists issues of the connected account.', {
        query: { filter: choice('assigned', 'created', 'mentioned', 'all'), state, ...page },
      }),
      operation('GET /repos/{owner}/{repo}/issues', 'list_repo_issues', 'Lists the issues of a repository.', {
        query: { state, labels: text(), since: text(), ...page },
      }),
      operation('GET /repos/{owner}/{repo}/issues/{issue_number}', 'get_issue', 'Reads an issue.'),
      operation('POST /repos/{owner}/{repo}/issues', 'create_issue', 'Creates an issue.', {
        body: { title: text(), body: text(), labels: list(text()), assignees: list(text()) },
        required: ['title'],
      }),
      operation('PATCH /repos/{owner}/{repo}/issues/{issue_number}', 'update_issue', 'Changes or closes an issue.', {
        body: { title: text(), body: text(), state: choice('open', 'closed') },
      }),
      operation(
        'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
        'create_issue_comment',
        'Comments on an issue.',
        { body: { body: text() }, required: ['body'] },
      ),
    ],
    pulls: [
      operation('GET /repos/{owner}/{repo}/pulls', 'list_pulls', 'Lists the pull requests of a repository.', {
        query: { state, ...page },
      }),
      operation('POST /repos/{owner}/{repo}/pulls', 'create_pull', 'Opens a pull request.', {
        body: { title: text(), head: text(), base: text(), body: text(), draft: flag },
        required: ['title', 'head', 'base'],
      }),
      operation('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', 'merge_pull', 'Merges a pull request.', {
        body: { merge_method: choice('merge', 'squash', 'rebase'), commit_title: text() },
      }),
    ],
  }),
}
