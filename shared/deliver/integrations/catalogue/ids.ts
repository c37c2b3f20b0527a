/** The connectors of the catalogue. Apart from what they are, so that most functions need not load that. */
export const CATALOGUE_IDS: readonly string[] = [
  'github',
  'gitlab',
  'google-calendar',
  'google-drive',
  'google-mail',
  'hubspot',
  'jira',
  'linear',
  'microsoft',
  'notion',
  'pagerduty',
  'salesforce',
  'slack',
  'zendesk',
]

export const isOfCatalogue = (id: string): boolean => CATALOGUE_IDS.includes(id)
