import { count, excerpt, flag, free, list, operation, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { start_cursor: text(), page_size: count(100) }

export const notion: Provider = {
  id: 'notion',
  name: 'Notion',
  category: 'files',
  description: 'Pages and databases of a Notion workspace.',
  oauth: {
    authorization_url: 'https://api.notion.com/v1/oauth/authorize',
    token_url: 'https://api.notion.com/v1/oauth/token',
    authorize_params: { owner: 'user' },
    client_auth: 'basic',
    token_request: 'json',
  },
  base_url: 'https://api.notion.com',
  headers: { 'notion-version': '2022-06-28' },
  scopes_required: [],
  account: { id: 'workspace_id', name: 'workspace_name' },
  models: [
    {
      name: 'pages',
      list: 'POST /v1/search',
      body: { page_size: 100 },
      items: 'results',
      id: 'id',
      paging: { by: 'cursor', from: 'next_cursor', to: 'start_cursor' },
    },
  ],
  document: excerpt('Notion', {
    pages: [
      operation('POST /v1/search', 'search', 'Searches pages and databases.', { body: { query: text(), ...page } }),
      operation('GET /v1/pages/{page_id}', 'get_page', 'Reads the properties of a page.'),
      operation('POST /v1/pages', 'create_page', 'Creates a page.', {
        body: { parent: free, properties: free, children: list(free) },
        required: ['parent', 'properties'],
      }),
      operation('PATCH /v1/pages/{page_id}', 'update_page', 'Changes or archives a page.', {
        body: { properties: free, archived: flag },
      }),
    ],
    blocks: [
      operation('GET /v1/blocks/{block_id}/children', 'list_blocks', 'Reads the content of a page.', { query: page }),
      operation('PATCH /v1/blocks/{block_id}/children', 'append_blocks', 'Adds content to a page.', {
        body: { children: list(free) },
        required: ['children'],
      }),
      operation('DELETE /v1/blocks/{block_id}', 'delete_block', 'Deletes a part of a page.'),
    ],
    databases: [
      operation('POST /v1/databases/{database_id}/query', 'query_database', 'Reads rows of a database.', {
        body: { filter: free, sorts: list(free), ...page },
      }),
    ],
  }),
}
