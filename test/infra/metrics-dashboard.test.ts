import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, test } from 'vitest'
import { MetricsDashboard } from '../../infra/constructs/metrics-dashboard.ts'
import { platformMetrics } from '../../shared/base/catalog/platform-metrics.ts'
import { newApp } from './support/assembly.ts'

type Widget = { properties: { title: string; metrics: [string, string, string, string, { stat: string }][] } }

/** The widgets of the synthesised dashboard; region and account are put in for the references. */
function widgets(): Widget[] {
  const stack = new Stack(newApp(), 'sample')
  new MetricsDashboard(stack, 'Dashboard', { prefix: 'acme' })
  const found = Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard')
  const [dashboard] = Object.values(found)
  const body = dashboard?.Properties.DashboardBody['Fn::Join'][1] as unknown[]
  const text = body.map((part) => (typeof part === 'string' ? part : 'region')).join('')
  return (JSON.parse(text) as { widgets: Widget[] }).widgets
}

describe('the dashboard of a deployment', () => {
  test('shows every metric that measure prints, of this deployment only', () => {
    const shown = widgets().flatMap(({ properties }) => properties.metrics)

    expect(shown.map(([, name]) => name)).toEqual(platformMetrics)
    for (const [namespace, , dimension, value] of shown) {
      expect([namespace, dimension, value]).toEqual(['Countersign', 'deployment', 'acme'])
    }
  })

  test('shows failures beside what they are a part of', () => {
    const requests = widgets().find(({ properties }) => properties.title === 'countersign.requests')

    expect(requests?.properties.metrics.map(([, name]) => name)).toEqual([
      'countersign.requests',
      'countersign.requests.failed',
    ])
  })
})
