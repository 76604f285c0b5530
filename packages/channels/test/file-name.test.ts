// Names of files that others chose, as they cross the border.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainName } from '../src/file-name.ts'

const names: readonly (readonly [string, string])[] = [
  ['report.pdf', 'report.pdf'],
  ['/workspace/out/report.pdf', 'report.pdf'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['../../etc/passwd', 'passwd'],
  ['/workspace/..', '_'],
  ['.bashrc', '_bashrc'],
  ['a\r\nContent-Type: text/html', 'html'],
  ['a\r\nBcc: x', 'a__Bcc_ x'],
  ['\u202egnp.exe', '_gnp.exe'],
  ['a\u200bb\u00adc', 'a_b_c'],
  ['\u115f\u3164', '__'],
  ['"><script>.html', '___script_.html'],
  ['$(id)`id`', '_(id)_id_'],
  ['\ud800.txt', '_.txt'],
  ['नमस्ते 報告 تقرير.txt', 'नमस्ते 報告 تقرير.txt'],
  ['end. . ', 'end'],
  ['', ''],
  ['dir/', ''],
]

test('a name keeps its letters, and nothing that hides, leads away, quotes or breaks a line', () => {
  for (const [given, wanted] of names) assert.equal(plainName(given, 128), wanted, JSON.stringify(given))
})

test('a long name is cut before its ending, and within no character', () => {
  const long = plainName(`${'x'.repeat(300)}.pdf`, 128)
  assert.equal(long, `${'x'.repeat(124)}.pdf`)
  assert.equal(plainName(`${'y'.repeat(127)}.${'z'.repeat(40)}`, 128).length, 127)
  // Letters of two units each.
  const broken = plainName(`a${'𠀀'.repeat(100)}.txt`, 128)
  assert.ok(broken.isWellFormed() && broken.endsWith('.txt') && broken.length <= 128, broken)
})
