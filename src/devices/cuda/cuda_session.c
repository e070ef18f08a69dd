// SPDX-License-Identifier: MIT
/* The context and the stream of a CUDA session. */
#include "devices/cuda/cuda_session.h"

static int retain_primary(struct cuda_session *session, struct err *err)
{
	int ordinal = session->ordinal < 0 ? 0 : session->ordinal, device;

	if (CUDA_CALL(session->api, err, cuDeviceGet, &device, ordinal) ||
		CUDA_CALL(session->api, err, cuDevicePrimaryCtxRetain, &session->context, device))
		return -1;
	session->ordinal = ordinal;
	session->retained = true;
	return 0;
}

void cuda_release_primary(const struct cuda_session *session)
{
	int device;

	if (session->retained &&
		session->api->cuDeviceGet(&device, session->ordinal) == CUDA_SUCCESS)
		(void)session->api->cuDevicePrimaryCtxRelease(device);
}

int cuda_enter(struct cuda_session *session, struct err *err)
{
	if (!session->context && retain_primary(session, err))
		return -1;
	return CUDA_CALL(session->api, err, cuCtxPushCurrent, session->context);
}

void cuda_leave(struct cuda_session *session)
{
	void *context;

	(void)session->api->cuCtxPopCurrent(&context);
}

int cuda_session_stream(struct cuda_session *session, void **stream, struct err *err)
{
	if (!session->stream && CUDA_CALL(session->api, err, cuStreamCreate, &session->stream, 0))
		return -1;
	*stream = session->stream;
	return 0;
}
