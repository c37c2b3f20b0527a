import { area, get, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/ai-training'

export const training = area('training', {
  listDatasets: read(`${path}/datasets`, { access: 'training:read', summary: 'Lists the datasets, the newest first.' }),
  getDataset: get(`${path}/datasets/{dataset_id}`, {
    host: 'api',
    access: 'training:read',
    resource: 'dataset',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }],
    evidence: { none: 'making the dataset was recorded' },
    emits: ['artifact.shared'],
    summary: 'One dataset; for callers who may read evidence with addresses to download its files.',
  }),
})
