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
  page: read('/docs', {
    ...open,
    host: 'app',
    uses: [{ asset: 'docs.json' }],
    summary: 'The first page of the documentation: guides and reference.',
  }),
  part: read('/docs/{page}', {
    ...open,
    host: 'app',
    uses: [{ asset: 'docs.json' }],
    resource: 'page',
    summary: 'A page of the documentation, or a file that its pages load.',
  }),
})
