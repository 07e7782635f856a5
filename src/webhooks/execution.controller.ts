import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { Accepts, Cors, CredentialFree, CurrentCall, RateLimit, SecretPath } from '../policy/decorators.js';
import { ExecutionService } from './execution.service.js';
import { MESSAGE_LIMITS } from './message-input.js';
import { MessagePath, TokenPath } from './webhooks.dto.js';

const JSON_TYPE = 'application/json';
const TEXT = { type: ['string', 'null'] };
const MESSAGE = {
  members: {
    content: { type: ['string', 'null'], maxLength: MESSAGE_LIMITS.content },
    embeds: { type: ['array', 'null'], items: { type: 'object' }, maxItems: MESSAGE_LIMITS.embeds },
    flags: { type: ['integer', 'null'] },
  },
  example: { content: 'The build is green.' },
};

const FORM = { payload_json: { type: 'string' }, 'files[0]': { type: 'string', contentEncoding: 'binary' } };

/** Routes with the token in the path. The token is the only credential (webhooks.md section 3). */
@Controller('v1/webhooks/:id/:token')
export class ExecutionController {
  constructor(private readonly execution: ExecutionService) {}

  /** Get a webhook by its token. */
  @Get()
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:read', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  show(@CurrentCall() call: Call, @Param() path: TokenPath) {
    return this.execution.show(call, path);
  }

  /** Change the name or avatar of a webhook by its token. */
  @Patch()
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:update', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  @ApiBody({
    type: JSON_TYPE,
    members: { name: TEXT, avatar: { ...TEXT, format: 'byte' } },
    example: { name: 'Builds' },
  })
  edit(@CurrentCall() call: Call, @Param() path: TokenPath) {
    return this.execution.edit(call, path);
  }

  /** Delete a webhook by its token. */
  @Delete()
  @HttpCode(204)
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:delete', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  delete(@CurrentCall() call: Call, @Param() path: TokenPath) {
    return this.execution.delete(call, path);
  }

  /** Post a message. */
  @Post()
  @HttpCode(200)
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:execute', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  @ApiResponses({ status: 204, description: 'Stored, for callers that do not wait' })
  @ApiBody(
    { ...MESSAGE, type: JSON_TYPE },
    { type: 'multipart/form-data', members: FORM, example: { payload_json: '{"content":"The build is green."}' } },
  )
  @ApiQuery({
    name: 'wait',
    description: 'Answers with the message for `true`, `True` and `1`, and for nothing else',
    schema: { type: 'string', examples: ['true'] },
  })
  execute(@CurrentCall() call: Call, @Param() path: TokenPath) {
    return this.execution.execute(call, path);
  }

  /** Get a message of a webhook. */
  @Get('messages/:message_id')
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:message_get', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  showMessage(@CurrentCall() call: Call, @Param() path: MessagePath) {
    return this.execution.showMessage(call, path);
  }

  /** Edit a message of a webhook. */
  @Patch('messages/:message_id')
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:message_edit', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  @ApiBody({ ...MESSAGE, type: JSON_TYPE })
  editMessage(@CurrentCall() call: Call, @Param() path: MessagePath) {
    return this.execution.editMessage(call, path);
  }

  /** Delete a message of a webhook. */
  @Delete('messages/:message_id')
  @HttpCode(204)
  @CredentialFree()
  @SecretPath()
  @RateLimit('webhook:message_delete', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  deleteMessage(@CurrentCall() call: Call, @Param() path: MessagePath) {
    return this.execution.deleteMessage(call, path);
  }
}
