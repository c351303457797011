import * as sdk from '@tillbell/sdk'
import * as express from '@tillbell/sdk/express'
import * as fastify from '@tillbell/sdk/fastify'
import * as fetch from '@tillbell/sdk/fetch'
import * as hono from '@tillbell/sdk/hono'
import * as next from '@tillbell/sdk/next'
import * as testing from '@tillbell/sdk/testing'
import * as token from '@tillbell/sdk/token'

export const modules = { sdk, express, fastify, fetch, hono, next, testing, token }
