import { area, read } from '../../shared/base/wire/route.ts'

const open = { access: 'public', rate: 'none' } as const

export const docs = area('docs', {
  openapi: read('/openapi.json', {
    ...open,
    host: 'both',
    uses: [{ asset: 'openapi.json' }],
    summary: 'This document: every operation, event and error of the service.',
  }),
  home: read('/', {
    ...open,
    host: 'app',
    uses: [],
    summary: 'Redirects from the application host to the reference.',
  }),
  page: read('/docs', { ...open, host: 'app', uses: [], summary: 'This document as an HTML page.' }),
  redoc: read('/docs/redoc.js', {
    ...open,
    host: 'app',
    uses: [{ asset: 'redoc.standalone.js' }],
    summary: 'The script that renders the page.',
  }),
})
