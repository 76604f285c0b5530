// Garbage is collected once a process is quiet, and not while it works or where there is little of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryRelease } from '../../src/life/release-memory.ts'

const MiB = 1024 * 1024

/** A heap that holds `live` MiB, and garbage until it is collected. */
const openHeap = (live: number) => {
  const heap = { live, garbage: 0, collections: 0 }
  const look = createMemoryRelease({
    used: () => (heap.live + heap.garbage) * MiB,
    collect: () => {
      heap.collections += 1
      heap.garbage = 0
    },
  })
  return { heap, look }
}

test('collects what large requests left, once no more of them come', () => {
  const { heap, look } = openHeap(20)
  for (const garbage of [10, 40, 90]) {
    heap.garbage = garbage
    look()
  }
  assert.equal(heap.collections, 0, 'it works')
  look()
  assert.deepEqual([heap.collections, heap.garbage], [1, 0])
  for (let count = 0; count < 10; count += 1) look()
  assert.equal(heap.collections, 1, 'once')
})

test('leaves a little garbage to V8', () => {
  const { heap, look } = openHeap(20)
  heap.garbage = 8
  for (let count = 0; count < 10; count += 1) look()
  assert.equal(heap.collections, 0)
})

test('takes what a collection leaves for what is held, however much that is', () => {
  const { heap, look } = openHeap(20)
  heap.live = 200
  for (let count = 0; count < 10; count += 1) look()
  assert.equal(heap.collections, 1)
  heap.garbage = 50
  look()
  look()
  assert.equal(heap.collections, 2)
})

test('counts from the lowest that it saw, also where V8 collected by itself', () => {
  const { heap, look } = openHeap(100)
  heap.live = 20
  look()
  heap.garbage = 30
  look()
  look()
  assert.equal(heap.collections, 1)
})
