// What an operator watches, for Prometheus, on a port of its own: it is not for the public.

import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { QuickHistogram } from './quick-histogram.ts'

export interface Metrics {
  readonly registry: Registry
  readonly requests: Histogram<'method' | 'route' | 'status'>
  readonly alerts: Counter
  readonly swept: Counter<'what'>
  readonly doubt: Gauge<'what'>
  readonly notSent: Counter<'gateway' | 'code'>
  readonly noticesRefused: Counter<'gateway'>
  readonly mailsIn: Counter<'outcome'>
  readonly mailsOut: Counter<'kind' | 'outcome'>
  readonly mailOldestDue: Gauge
  readonly hooks: HookMetrics
  readonly load: LoadMetrics
}

export interface LoadMetrics {
  readonly inHand: Gauge<'door'>
  readonly waiting: Gauge<'door'>
  readonly turnedAway: Counter<'door' | 'reason'>
  readonly connectionsEnded: Counter<'reason'>
}

export interface HookMetrics {
  readonly attempts: Counter<'result'>
  readonly firstAttempt: QuickHistogram
  readonly dropped: Counter
  readonly pending: Gauge<'state'>
  readonly oldestDue: Gauge
  readonly untold: Gauge<'currency'>
  readonly paused: Counter
  readonly freed: Counter
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'tillbell_request_duration_seconds',
      help: 'Duration of HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    alerts: new Counter({ name: 'tillbell_alerts_total', help: 'Things that a person must hear of.', registers }),
    swept: new Counter({
      name: 'tillbell_swept_total',
      help: 'What the sweeper took up: transactions, operations, rows forgotten.',
      labelNames: ['what'],
      registers,
    }),
    doubt: new Gauge({
      name: 'tillbell_doubt',
      help: 'Operations in doubt, and those that only a person can settle.',
      labelNames: ['what'],
      registers,
    }),
    notSent: new Counter({
      name: 'tillbell_gateway_not_sent_total',
      help: 'Operations that a gateway refused to begin, or that did not reach it, by type of gateway and code.',
      labelNames: ['gateway', 'code'],
      registers,
    }),
    mailsIn: new Counter({
      name: 'tillbell_mails_in_total',
      help: 'Mails that came in: proven, not proven, known, dropped, refused, or to come again.',
      labelNames: ['outcome'],
      registers,
    }),
    mailsOut: new Counter({
      name: 'tillbell_mails_out_total',
      help: 'Mails to customers, by kind, and by how an attempt ended: sent, not now, dropped, or skipped.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    mailOldestDue: new Gauge({
      name: 'tillbell_mail_oldest_due_seconds',
      help: 'How long the mail to a customer that waits for longest has been owed, with all its attempts.',
      registers,
    }),
    noticesRefused: new Counter({
      name: 'tillbell_gateway_notices_refused_total',
      help: "Notices that did not prove to be their gateway's own, by type of gateway.",
      labelNames: ['gateway'],
      registers,
    }),
    hooks: hookMetrics(registry),
    load: loadMetrics(registers),
  }
}

function loadMetrics(registers: Registry[]): LoadMetrics {
  return {
    inHand: new Gauge({
      name: 'tillbell_requests_in_hand',
      help: 'Requests that are being worked on, by door: rest, pages, console.',
      labelNames: ['door'],
      registers,
    }),
    waiting: new Gauge({
      name: 'tillbell_requests_waiting',
      help: 'Requests that wait for a place, by door.',
      labelNames: ['door'],
      registers,
    }),
    turnedAway: new Counter({
      name: 'tillbell_requests_turned_away_total',
      help: 'Requests answered 503 because there is too much to do, by door and reason: full, waited.',
      labelNames: ['door', 'reason'],
      registers,
    }),
    connectionsEnded: new Counter({
      name: 'tillbell_connections_ended_total',
      help: 'HTTP connections that were not taken (too_many), idle where room was needed (crowded), or did not take their answer (slow).',
      labelNames: ['reason'],
      registers,
    }),
  }
}

function hookMetrics(registry: Registry): HookMetrics {
  const registers = [registry]
  return {
    attempts: new Counter({
      name: 'tillbell_hook_attempts_total',
      help: 'Attempts to deliver hooks, by result: the class of the status, or none where there was no whole answer.',
      labelNames: ['result'],
      registers,
    }),
    firstAttempt: new QuickHistogram({
      name: 'tillbell_hook_first_attempt_seconds',
      help: 'From the change that owes a notification to its first attempt, with the time that a paused endpoint waited.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
      registry,
    }),
    dropped: new Counter({
      name: 'tillbell_hook_deliveries_dropped_total',
      help: 'Notifications given up after their tenth attempt.',
      registers,
    }),
    pending: new Gauge({
      name: 'tillbell_hook_deliveries_pending',
      help: 'Deliveries that are owed: due, later, or waiting for their endpoint to be resumed.',
      labelNames: ['state'],
      registers,
    }),
    oldestDue: new Gauge({
      name: 'tillbell_hook_oldest_due_seconds',
      help: 'How long the delivery that is due for longest has been due.',
      registers,
    }),
    untold: new Gauge({
      name: 'tillbell_hook_untold_amount',
      help: 'Money of paid transactions whose merchant was not told yet, by currency, in its main unit.',
      labelNames: ['currency'],
      registers,
    }),
    paused: new Counter({
      name: 'tillbell_hook_endpoints_paused_total',
      help: 'Endpoints paused for days of nothing but failures.',
      registers,
    }),
    freed: new Counter({
      name: 'tillbell_hook_deliveries_freed_total',
      help: 'Deliveries taken from workers that died.',
      registers,
    }),
  }
}

export function metricsServer(metrics: Metrics, refresh: () => Promise<void>): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    refresh()
      .then(() => metrics.registry.metrics())
      .then(text => response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text))
      .catch(() => response.writeHead(503).end())
  })
}
