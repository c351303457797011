import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'
import { plainHeaders, plainNotice, plainPage, rootOf } from './plain-page.ts'

test('behind a proxy that serves it under a path, the page finds its style there', () => {
  assert.deepEqual(['https://a.example', 'https://a.example/', 'https://a.example/till/'].map(rootOf), [
    '',
    '',
    '/till',
  ])
  assert.match(
    plainNotice('/till', 'Nothing', 'Nothing is here.'),
    /<link rel="stylesheet" href="\/till\/pages\/plain\.css">/,
  )
})

test('nothing runs, nothing is inline, nothing comes from elsewhere, and a form leads where it is said to', () => {
  const policy = String(plainHeaders(['https:'])['Content-Security-Policy']).split('; ')
  assert.ok(policy.includes("default-src 'none'") && policy.includes("style-src 'self'"))
  assert.ok(policy.includes("form-action 'self' https:"))
  assert.ok(String(plainHeaders()['Content-Security-Policy']).includes("form-action 'self';"))
  const page = plainPage({ title: '<b>', content: html`<p>${'<i>'}</p>`, root: '' })
  assert.doesNotMatch(page, /<script|<style| style=|<b>|<i>/)
})
