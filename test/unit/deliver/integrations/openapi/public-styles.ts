// Documents in the style of large public ones, each with what such documents do and a simple reader gets wrong. All hold examples.
const text = { type: 'string' }
const parameter = (name: string, place: string, more: object) => ({
  name,
  in: place,
  required: place === 'path',
  ...more,
})
const FORM = 'application/x-www-form-urlencoded'

/** Payments: forms whose members have a style of their own. */
const payments = {
  openapi: '3.0.0',
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: {
    '/customers/{customer}': {
      post: {
        operationId: 'PostCustomersCustomer',
        parameters: [parameter('customer', 'path', { schema: text, example: 'cus_1' })],
        requestBody: {
          content: {
            [FORM]: {
              schema: {
                type: 'object',
                additionalProperties: false,
                properties: {
                  name: text,
                  expand: { type: 'array', items: text },
                  address: { type: 'object', properties: { city: text, line1: text } },
                  metadata: {
                    anyOf: [
                      { type: 'object', additionalProperties: text },
                      { type: 'string', enum: [''] },
                    ],
                  },
                },
              },
              encoding: {
                expand: { style: 'deepObject', explode: true },
                address: { style: 'deepObject', explode: true },
                metadata: { style: 'deepObject', explode: true },
              },
              example: {
                name: 'Ann & Bo',
                expand: ['a', 'b'],
                address: { city: 'Köln' },
                metadata: { order: '6 735' },
              },
            },
          },
        },
      },
    },
    '/search': {
      get: {
        parameters: [
          parameter('created', 'query', {
            style: 'deepObject',
            explode: true,
            schema: { type: 'object' },
            example: { gte: 1, lt: 2 },
          }),
          parameter('fields', 'query', { explode: false, schema: { type: 'array', items: text }, example: ['a', 'b'] }),
          parameter('pipes', 'query', {
            style: 'pipeDelimited',
            explode: false,
            schema: { type: 'array', items: text },
            example: ['x', 'y'],
          }),
        ],
      },
    },
  },
}

/** Telephony: servers on each path, forms that repeat their keys, objects as JSON. */
const telephony = {
  openapi: '3.0.1',
  paths: {
    '/2010-04-01/Messages.json': {
      servers: [{ url: 'https://api.example.com' }],
      post: {
        requestBody: {
          content: {
            [FORM]: {
              schema: {
                type: 'object',
                required: ['To'],
                properties: {
                  To: text,
                  MediaUrl: { type: 'array', items: text },
                  Attributes: { type: 'object' },
                  Tags: { type: 'array' },
                },
              },
              encoding: { Tags: { contentType: 'application/json' }, Codes: { explode: false } },
              examples: {
                create: { value: { To: '+15551234', MediaUrl: ['https://a.example/1?b=c&d', 'https://a.example/2'] } },
                rich: { value: { To: '+1', Attributes: { a: [1, 'x'] }, Tags: ['a', 'b'], Codes: ['1', '2'] } },
              },
            },
          },
        },
      },
    },
  },
}

/** Infrastructure: operations, path items, examples and parameters behind references. */
const infrastructure = {
  openapi: '3.0.3',
  servers: [{ url: 'https://api.example.com' }],
  paths: {
    '/v2/droplets': { post: { $ref: '#/components/x-operations/create' } },
    '/v2/droplets/{id}': { $ref: '#/components/x-items/droplet', parameters: [{ $ref: '#/components/parameters/id' }] },
  },
  components: {
    parameters: { id: parameter('id', 'path', { schema: { type: 'integer' }, example: 3_164_444 }) },
    'x-items': { droplet: { get: {}, put: { $ref: '#/components/x-operations/create' } } },
    'x-operations': { create: { requestBody: { $ref: '#/components/requestBodies/droplet' } } },
    requestBodies: {
      droplet: {
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/droplet' },
            examples: { one: { $ref: '#/components/examples/one' } },
          },
        },
      },
    },
    examples: { one: { value: { name: 'example.com', size: 's-1vcpu', tags: null } } },
    schemas: {
      droplet: {
        allOf: [
          { type: 'object', required: ['id', 'name'], properties: { name: text, size: text } },
          {
            type: 'object',
            properties: { id: { type: 'integer', readOnly: true }, tags: { type: 'array', nullable: true } },
          },
        ],
      },
    },
  },
}

/** Accounting: members of answers in parents, closed objects whose examples hold them, types that the examples do not have. */
const accounting = {
  openapi: '3.1.0',
  servers: [{ url: 'https://api.example.com/2.0' }],
  paths: {
    '/invoices': {
      put: {
        parameters: [parameter('Xero-Tenant', 'header', { schema: text, example: 'a,b' })],
        requestBody: {
          content: {
            'application/json': {
              schema: { oneOf: [{ $ref: '#/components/schemas/Invoice' }, { $ref: '#/components/schemas/Note' }] },
              examples: {
                invoice: { value: { kind: 'invoice', total: 19.99, id: 'in_1', date: 20_260_101 } },
                note: { value: { kind: 'note', lines: [{ no: 1, text: 'x' }] } },
              },
            },
          },
        },
      },
    },
    '/reports': {
      get: {
        parameters: [
          parameter('where', 'query', {
            content: { 'application/json': { schema: { type: 'object' }, example: { a: { $gt: 1 } } } },
          }),
          parameter('path', 'query', { allowReserved: true, schema: text, example: '/a/b?c&d=e' }),
        ],
      },
    },
  },
  components: {
    schemas: {
      Base: {
        type: 'object',
        required: ['id', 'kind'],
        properties: { id: { $ref: '#/components/schemas/Id' }, kind: text },
      },
      Id: { allOf: [{ type: 'string' }, { readOnly: true }] },
      Invoice: {
        additionalProperties: false,
        properties: { id: {}, kind: {}, total: { type: 'number', multipleOf: 0.01 }, date: { type: 'string' } },
        allOf: [{ $ref: '#/components/schemas/Base' }],
        required: ['total'],
      },
      Note: {
        $ref: '#/components/schemas/Base',
        properties: {
          lines: {
            type: 'array',
            items: { type: 'object', required: ['no', 'at'], properties: { at: { type: 'string', readOnly: true } } },
          },
        },
        required: ['lines'],
      },
    },
  },
}

export const PUBLIC_STYLES = { payments, telephony, infrastructure, accounting }
