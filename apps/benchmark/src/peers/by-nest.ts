import "reflect-metadata";
import type { Server } from "node:http";
import { Body, Controller, Get, Headers, Module, Param, Patch, Post, Query, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import type { Request, Response } from "express";
import { makePrismaHandlers, type PeerResponse } from "./prisma-handlers.js";

const handlers = makePrismaHandlers();

@Controller("api")
class ShopController {
  @Get()
  welcome(@Res({ passthrough: true }) response: Response): unknown {
    return responded(response, handlers.welcome());
  }

  @Post("quotes")
  quote(@Body() body: unknown, @Res({ passthrough: true }) response: Response): unknown {
    return responded(response, handlers.quote(body));
  }

  @Get("products")
  async list(
    @Query() query: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    return responded(response, await handlers.list(query, request.originalUrl));
  }

  @Get("products/:id")
  async read(@Param("id") id: string, @Res({ passthrough: true }) response: Response): Promise<unknown> {
    return responded(response, await handlers.read(id));
  }

  @Post("products")
  async create(@Body() body: unknown, @Res({ passthrough: true }) response: Response): Promise<unknown> {
    return responded(response, await handlers.create(body));
  }

  @Patch("products/:id")
  async update(
    @Param("id") id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    return responded(response, await handlers.update(id, body));
  }

  @Get("branches/:id")
  async readBranch(
    @Param("id") id: string,
    @Headers("authorization") authorization: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    return responded(response, await handlers.readBranch(id, authorization));
  }
}

@Module({ controllers: [ShopController] })
class ShopModule {}

/** NestJS on Express, with only its routes. */
export async function serveNest(): Promise<Server> {
  const app = await NestFactory.create<NestExpressApplication>(ShopModule, { logger: false });
  app.set("query parser", "extended");
  await app.init();
  return app.getHttpServer();
}

function responded(response: Response, { status, body, headers }: PeerResponse): unknown {
  if (headers !== undefined) response.set(headers);
  response.status(status);
  return body;
}
