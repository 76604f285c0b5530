// Prometheus text as data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExposition } from '../../src/output/exposition.ts'

test('reads types, labels with escapes, histograms and values without a JSON', () => {
  const text = [
    '# HELP x_seconds Time',
    '# TYPE x_seconds histogram',
    'x_seconds_bucket{le="0.1",name="a\\"b\\\\c\\nd"} 3',
    'x_seconds_bucket{le="+Inf",name="}"} 4',
    'x_seconds_count 4',
    '# HELP y Ratio',
    '# TYPE y gauge',
    'y NaN',
    '',
  ].join('\n')
  assert.deepEqual(parseExposition(text), [
    {
      name: 'x_seconds',
      help: 'Time',
      type: 'histogram',
      samples: [
        { name: 'x_seconds_bucket', labels: { le: '0.1', name: 'a"b\\c\nd' }, value: 3 },
        { name: 'x_seconds_bucket', labels: { le: '+Inf', name: '}' }, value: 4 },
        { name: 'x_seconds_count', labels: {}, value: 4 },
      ],
    },
    { name: 'y', help: 'Ratio', type: 'gauge', samples: [{ name: 'y', labels: {}, value: 'NaN' }] },
  ])
})
