import { area, get } from '../../shared/base/wire/route.ts'

const open = { access: 'public', rate: 'none', evidence: { none: 'reads change nothing' } } as const

export const docs = area('docs', {
  openapi: get('/openapi.json', {
    ...open,
    host: 'both',
    uses: [{ asset: 'openapi.json' }],
    summary: 'This document: every operation, event and error of the service.',
  }),
  home: get('/', {
    ...open,
    host: 'app',
    uses: [],
    summary: 'Sends whoever opens the application host to the reference.',
  }),
  page: get('/docs', { ...open, host: 'app', uses: [], summary: 'This document as a page for people.' }),
  redoc: get('/docs/redoc.js', {
    ...open,
    host: 'app',
    uses: [{ asset: 'redoc.standalone.js' }],
    summary: 'The script that renders the page.',
  }),
})
