// Shapes of requests and responses. They are loose, because names come in any case and unknown ones are ignored. The schema
// documents are checked in `normalise.ts` and `patch-operations.ts`.
import * as z from 'zod'

const anything = () => z.looseObject({})

export const UserBody = anything()
export const GroupBody = anything()
export const PatchBody = anything()
export const SearchBody = anything()
export const AnyBody = anything()

/** Unknown parameters are ignored, because Entra adds flags to every URL. */
export const SelectionQuery = z.looseObject({
  attributes: z
    .string()
    .optional()
    .describe('Only these attributes, comma-separated (RFC 7644, section 3.9).')
    .meta({ examples: ['userName,emails.value'] }),
  excludedAttributes: z
    .string()
    .optional()
    .describe('All but these attributes, comma-separated (RFC 7644, section 3.9).')
    .meta({ examples: ['members'] }),
})

export const SearchQuery = SelectionQuery.extend({
  filter: z.string().optional().describe('A filter (RFC 7644, section 3.4.2.2).'),
  startIndex: z
    .string()
    .optional()
    .describe('The first resource of the page, counted from 1 (RFC 7644, section 3.4.2.4).'),
  count: z.string().optional().describe('Resources of a page (RFC 7644, section 3.4.2.4).'),
})

export const DiscoveryQuery = z.looseObject({
  filter: z.string().optional().describe('A filter (RFC 7644, section 3.4.2.2).'),
})

const described = () =>
  z.looseObject({
    schemas: z.array(z.string()).describe('Schemas of the resource (RFC 7643).'),
    meta: z.looseObject({}).describe('Metadata of the SCIM resource (RFC 7643, section 3.1).'),
  })
const stored = () =>
  z.looseObject({
    schemas: z.array(z.string()).describe('Schemas of the resource (RFC 7643).'),
    id: z.string().describe('The id, which never changes.'),
  })

export const ScimUserView = stored()
export const ScimGroupView = stored()
export const ResourceTypeView = described()
export const SchemaView = described()
export const ConfigView = described()

export const ListView = z.looseObject({
  schemas: z.array(z.string()).describe('Schemas of the resource (RFC 7643).'),
  totalResults: z.int().describe('The total number of items (RFC 7644).'),
  startIndex: z.int().describe('Position of the first item on this page, from 1 (RFC 7644).'),
  itemsPerPage: z.int().describe('The number of items on this page (RFC 7644).'),
  Resources: z.array(z.looseObject({})).describe('The resources of this page (RFC 7644, section 3.4.2).'),
})

/** For operations that are not supported and always answer an error. */
export const NoResponse = z.undefined()
